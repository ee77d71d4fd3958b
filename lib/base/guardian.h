// Everything a run starts ends with the run, even after kill -9. A process group and a death signal
// reach the programs that we start, but not the programs that those start. So a run is two
// processes: the engine, and its parent, the guardian, which only waits.
//
//   the engine dies      the kernel gives its orphans to the guardian (a "child subreaper"), which
//                        kills them and then ends as the engine did
//   the guardian dies    the engine receives kGuardianDied, stops at once and kills its children
//
// A program can survive only if both are killed at the same moment. It then writes into folders
// that no later run uses (work/<run>, partial/<key>.<attempt>).
#pragma once

#include <sys/types.h>
#include <csignal>

namespace headway {

inline constexpr int kGuardianDied = SIGUSR2;

// Forks. Returns in the child, the engine; the calling process becomes the guardian and exits when
// the engine does, with its exit code or by its signal. Call it before starting any thread. Without
// a guardian the engine works too, so a failed fork is ignored. A second call does nothing.
void start_guardian();

// In the engine: the guardian's process id; 0 if there is none. The guardian forwards signals sent
// to it, so the engine may receive a signal twice.
pid_t guardian_id();

// In the engine: whether it had a guardian that was killed.
bool is_guardian_dead();

// Kills all descendants of this process, including those that left their process group or session,
// and waits until they are gone, for some seconds at most. Gives up if there is no memory for that.
void kill_descendants();

}  // namespace headway
