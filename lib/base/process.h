// Child processes: each in a process group of its own, so that ending one ends what it started,
// and ended by the kernel when we die ourselves, even of kill -9. (What those started in turn is
// the guardian's: guardian.h.)
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/file_system.h"

namespace headway {

struct ProcessSpec {
  std::vector<std::string> argv;         // argv[0] is the program's path
  std::vector<std::string> environment;  // NAME=value; nothing is inherited
  Path directory;                        // empty: ours
  int output = -1;                       // stdout and stderr go here; -1: /dev/null
  int channel = -1;                      // becomes descriptor 3; -1: closed
  // Killed when the *thread* that starts it ends, and so when we die. False for a child that
  // outlives that thread and finds out by itself, from its channel, that we are gone.
  bool dies_with_us = true;
};

struct ProcessExit {
  int code = 0;    // where it exited by itself
  int signal = 0;  // where a signal ended it, else 0
  double cpu_seconds = 0;
  std::uint64_t peak_memory = 0;  // bytes

  bool succeeded() const { return signal == 0 && code == 0; }
  std::string describe() const;  // "exit code 3", "killed by signal 11 (segmentation fault)"
};

class Process {
 public:
  // Throws Error where the program cannot be started.
  explicit Process(const ProcessSpec& spec);
  ~Process();  // kills what still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return pid_; }
  int descriptor() const { return pidfd_; }  // readable once the child has ended
  bool ended();                              // without waiting
  void signal_group(int signal);
  // Waits until it has ended or `seconds` have passed (negative: for ever).
  bool wait_for(double seconds);
  // Waits for the end, then kills what it left in its group. In a process with a guardian, waits
  // for the end of that too.
  ProcessExit reap();

 private:
  pid_t pid_ = -1;
  int pidfd_ = -1;
  bool reaped_ = false;
};

// Of this process, for a child: those of `names` that are set.
std::vector<std::string> inherited_environment(const std::vector<std::string>& names);

}  // namespace headway
