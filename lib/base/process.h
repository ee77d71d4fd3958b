// Child processes. Each has its own process group, so that signals reach its children too, and the
// kernel kills it when we die, even by kill -9. (guardian.h takes care of its children then.)
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "lib/base/descriptor.h"
#include "lib/base/file_system.h"

namespace headway {

struct ProcessSpec {
  std::vector<std::string> argv;         // argv[0] is the program's path
  std::vector<std::string> environment;  // NAME=value; nothing is inherited
  Path directory;                        // working directory; empty: ours
  int output = -1;                       // stdout and stderr; -1: /dev/null
  int channel = -1;                      // becomes descriptor 3; -1: closed
  // The kernel kills it when the *thread* that started it ends. False for a child that outlives
  // that thread and learns from its channel that we are gone.
  bool dies_with_us = true;
};

struct ProcessExit {
  int code = 0;    // its exit code, if it exited
  int signal = 0;  // the signal that killed it; 0 if it exited
  double cpu_seconds = 0;
  std::uint64_t peak_memory = 0;  // bytes

  bool succeeded() const { return signal == 0 && code == 0; }
  std::string describe() const;  // "exit code 3", "killed by signal 11 (segmentation fault)"
};

class Process {
 public:
  // Throws Error if the program cannot be started.
  explicit Process(const ProcessSpec& spec);
  ~Process();  // kills and reaps it if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return pid_; }
  // For poll(): readable once the child has ended.
  int descriptor() const { return pidfd_.get(); }
  // Whether it has ended; does not wait.
  bool ended();
  // Signals the child and the rest of its group; does nothing after reap().
  void signal_group(int signal);
  // Waits for the child to end, for at most `seconds` (negative: for ever). Whether it has.
  bool wait_for(double seconds);
  // Waits for the child to end, then kills what is left of its group. If we are a subreaper,
  // returns only when that has ended too. Call it once.
  ProcessExit reap();

 private:
  pid_t pid_ = -1;
  Descriptor pidfd_;
  bool reaped_ = false;
};

// For a child: the variables of our environment with these names, as NAME=value.
std::vector<std::string> inherited_environment(const std::vector<std::string>& names);
// Adds NAME=value, or replaces the variable of that name.
void set_variable(std::vector<std::string>& environment, const std::string& setting);

}  // namespace headway
