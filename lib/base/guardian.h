// Whatever a run starts ends with the run, even after kill -9. A process group and a death signal
// reach the programs that we start ourselves, but not what those start in turn. So a run is two
// processes: the engine, and its parent, the guardian, which does nothing but wait.
//
//   the engine dies      the kernel makes all that it left the guardian's children (the guardian is
//                        a "child subreaper"); the guardian kills them and ends as the engine did
//   the guardian dies    the engine is sent kGuardianDied; it stops at once and kills what is left
//
// Only where both are killed in the same moment can a program survive. It then writes into folders
// that no later run uses (work/<run>, partial/<key>.<attempt>).
#pragma once

#include <sys/types.h>
#include <csignal>

namespace headway {

inline constexpr int kGuardianDied = SIGUSR2;

// Returns in the engine; the calling process stays behind as the guardian and ends when the engine
// does, with its exit code or by its signal. Must be called before any thread is started. Where no
// process can be started, goes on without a guardian.
void start_guardian();

// The guardian's number, in the engine; 0 where there is none. It forwards signals that are sent to
// it alone, so the engine may get one twice.
pid_t guardian_id();

// Kills all processes below this one, also those that left their group or session, and waits for
// them.
void kill_descendants();

}  // namespace headway
