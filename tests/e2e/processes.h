// The processes that work in a sandbox, seen through /proc: those of `headway`, and those its
// stages started, whatever their current parent.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/e2e/support.h"

namespace headway::e2e {

struct ProcessInfo {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  std::string name;
};

// Those whose working folder is the sandbox's or below it. Zombies are not among them, unless they
// have threads that are still dying, which hold their locks.
std::vector<ProcessInfo> processes_in(const Sandbox& sandbox);

// Whether they all go away. Stages that test it run for longer than this waits, if nothing ends
// them.
bool all_end(const Sandbox& sandbox);

// Kills them all, until there are none: for those that nothing else could end.
void kill_processes_in(const Sandbox& sandbox);

// "12 sh, 14 sleep", for messages.
std::string to_text(const std::vector<ProcessInfo>& processes);

// The child of a run that does its work; 0 if there is none (yet, or any more).
pid_t engine_of(const Sandbox& sandbox, pid_t run);

}  // namespace headway::e2e
