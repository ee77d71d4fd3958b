// A worker as the engine holds it: its process, the engine's end of the channel, and what it
// printed while no stage ran. Nothing here blocks but wait(). Knows nothing of pools, limits or
// what the lines say.
#pragma once

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

  // Queued here, and sent as the worker takes it, inside wait().
  void post(const std::string& line);
  // Until a line or the end of the worker has come, `also` (-1: nothing) is readable, or that many
  // milliseconds have passed.
  void wait(int also, int milliseconds);
  // The next line it sent; ProtocolError where it is too long.
  std::optional<std::string> next_line() { return lines_.take(); }
  // It has ended, or closed its channel: once next_line() has nothing more, nothing more will come.
  bool gone() const { return gone_; }
  // Still there, as far as can be seen without asking it.
  bool idles();

  void signal(int signal);        // itself alone
  void signal_group(int signal);  // and what it started
  // Tells an idle worker, by closing the channel, that it is not needed any more.
  void dismiss() { channel_.reset(); }
  ProcessExit kill();  // with what it started
  // Of a worker that is gone: how it ended.
  ProcessExit reap();

  // What it printed outside of any stage since the last call: a loader's complaint, say.
  std::string take_words();

 private:
  void send_queued();
  void receive();

  Descriptor channel_;
  Descriptor words_;  // a file in memory: its stdout and stderr while no stage runs
  std::optional<Process> process_;
  LineBuffer lines_;
  std::string queued_;
  off_t words_taken_ = 0;
  bool gone_ = false;
};

}  // namespace headway
