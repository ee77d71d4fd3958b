// A worker as the engine sees it: its process, the engine's end of the channel, and what it printed
// while no stage ran. Knows nothing of pools, limits or messages.
#pragma once

#include <poll.h>

#include <optional>
#include <string>
#include <vector>

#include "lib/base/descriptor.h"
#include "lib/base/process.h"
#include "lib/worker/protocol.h"

namespace headway {

class WorkerProcess {
 public:
  // Throws Error if the program cannot be started.
  WorkerProcess(const Path& program, const std::vector<std::string>& environment);
  ~WorkerProcess();  // an idle worker then exits by itself, any other is killed

  // Adds what to poll for before exchange() is called.
  void watch(std::vector<pollfd>& descriptors) const;
  // Queues a line; sends as much as the worker accepts now, the rest in exchange().
  void post(const std::string& line);
  // Sends and receives what is possible without waiting.
  void exchange();
  // The next line that it sent; nullopt if there is none. Throws ProtocolError if it is too long.
  std::optional<std::string> next_line() { return lines_.take(); }
  // It closed its channel: once next_line() returns nothing, no more will come.
  bool hung_up() const { return hung_up_; }
  bool has_ended() { return process_->ended(); }
  // Whether it is still connected and has sent nothing.
  bool is_idle();

  void signal(int signal);                                           // the worker only
  void signal_group(int signal) { process_->signal_group(signal); }  // also its child processes
  // Asks an idle worker to exit, by closing the channel.
  void dismiss() { channel_.reset(); }
  // Waits for the end and returns the exit status.
  ProcessExit reap() { return process_->reap(); }

  // What it printed outside of any stage since the last call, such as an error of the loader.
  std::string take_output();

 private:
  void send_queued();
  void receive();

  Descriptor channel_;
  Descriptor output_;  // an in-memory file: its stdout and stderr while no stage runs
  std::optional<Process> process_;
  LineBuffer lines_;
  std::string queued_;
  off_t output_taken_ = 0;
  bool hung_up_ = false;
};

}  // namespace headway
