// A worker as the engine holds it: its process, the engine's end of the channel, and what it
// printed while no stage ran. Knows nothing of pools, limits or what the lines say.
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
  // Throws Error where the program cannot be started.
  WorkerProcess(const Path& program, const std::vector<std::string>& environment);
  ~WorkerProcess();  // lets go of it: an idle worker then ends by itself, any other is killed

  // What to wait for before exchange() is called.
  void watch(std::vector<pollfd>& descriptors) const;
  // Queues a line; it is sent as the worker takes it, here and in exchange().
  void post(const std::string& line);
  // Sends and receives what can be without waiting.
  void exchange();
  // The next line it sent; ProtocolError where it is too long.
  std::optional<std::string> next_line() { return lines_.take(); }
  // It closed its channel: once next_line() has nothing more, nothing more will come.
  bool hung_up() const { return hung_up_; }
  bool has_ended() { return process_->ended(); }
  // Still there, as far as can be seen without asking it.
  bool is_idle();

  void signal(int signal);        // itself alone
  void signal_group(int signal);  // and what it started
  // Tells an idle worker, by closing the channel, that it is not needed any more.
  void dismiss() { channel_.reset(); }
  // How it ended. Waits for the end.
  ProcessExit reap() { return process_->reap(); }

  // What it printed outside of any stage since the last call: a loader's complaint, for example.
  std::string take_output();

 private:
  void send_queued();
  void receive();

  Descriptor channel_;
  Descriptor output_;  // a file in memory: its stdout and stderr while no stage runs
  std::optional<Process> process_;
  LineBuffer lines_;
  std::string queued_;
  off_t output_taken_ = 0;
  bool hung_up_ = false;
};

}  // namespace headway
