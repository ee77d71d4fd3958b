#include "lib/worker/worker_loop.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "lib/base/descriptor.h"
#include "lib/base/thread.h"
#include "lib/worker/protocol.h"
#include "lib/worker/run_job.h"

namespace headway {
namespace {

using Kind = WorkerEvent::Kind;

constexpr int kChannel = 3;
constexpr int kAbandoned = 3;  // exit code, if the engine is gone

std::atomic<bool> cancel{false};
std::atomic<bool> busy{false};
static_assert(std::atomic<bool>::is_always_lock_free, "they are written in a signal handler");

void on_signal(int signal) {
  if (!busy) ::_exit(128 + signal);  // nothing to save
  cancel = true;
}

void install_handlers() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  // Line-buffered: what a stage printed before a crash must not be lost.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
}

// Covers the time from before "started" until after the final event was sent. The engine sends
// signals only in between, so a cancel is neither lost nor reaches the next job.
class Busy {
 public:
  Busy() {
    cancel = false;
    busy = true;
  }
  ~Busy() { busy = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
};

// Ends the process when the other end of the channel closes.
class EngineWatch {
 public:
  explicit EngineWatch(int channel)
      : stop_(::eventfd(0, EFD_CLOEXEC)),
        thread_(start_thread([this, channel] { watch(channel); })) {}
  ~EngineWatch() {
    ::eventfd_write(stop_.get(), 1);
    thread_.join();
  }
  EngineWatch(const EngineWatch&) = delete;
  EngineWatch& operator=(const EngineWatch&) = delete;

 private:
  void watch(int channel) const {
    for (;;) {
      std::array<pollfd, 2> waiting = {{{channel, POLLRDHUP, 0}, {stop_.get(), POLLIN, 0}}};
      if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;  // interrupted by a signal
      if (waiting[0].revents != 0) ::_exit(kAbandoned);
      if (waiting[1].revents != 0) return;
    }
  }

  const Descriptor stop_;
  std::thread thread_;
};

void write_line(int descriptor, const WorkerEvent& event) {
  const std::string line = event_line(event) + "\n";
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t written = ::write(descriptor, rest.data(), rest.size());
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    if (written < 0 && errno != EINTR) return;  // nobody listens; EngineWatch ends the process
  }
}

// The next request; nullopt once the engine has closed the channel.
std::optional<std::string> read_line(int channel, LineBuffer& buffer) {
  std::array<char, 1 << 16> bytes;
  for (;;) {
    if (auto line = buffer.take()) return line;
    const ssize_t count = ::read(channel, bytes.data(), bytes.size());
    if (count > 0) buffer.add({bytes.data(), static_cast<std::size_t>(count)});
    if (count == 0 || (count < 0 && errno != EINTR)) return std::nullopt;
  }
}

struct Program {
  const NativeStages& stages;
  const std::string& numerics;
};

// Runs a request and returns how it ended. A request that cannot be parsed is a failed job. With
// `channel`, exits if the engine closes it meanwhile.
Kind run_request(const Program& program, std::string_view line, std::optional<int> channel,
                 const EventSink& sink) {
  const Busy job;
  try {
    std::optional<EngineWatch> watch;
    if (channel) watch.emplace(*channel);
    return run_job(program.stages, parse_request(line), program.numerics, cancel, sink).kind;
  } catch (const Error& error) {  // also if the watching thread cannot be started
    sink({.kind = Kind::kFailed, .text = error.what()});
    return Kind::kFailed;
  }
}

bool is_socket(int descriptor) {
  struct stat info {};
  return ::fstat(descriptor, &info) == 0 && S_ISSOCK(info.st_mode);
}

int run_worker(const Program& program, int channel) {
  install_handlers();
  ::fcntl(channel, F_SETFD, FD_CLOEXEC);  // child processes of a stage must not keep it open
  const EventSink sink = [channel](const WorkerEvent& event) { write_line(channel, event); };
  LineBuffer buffer;
  while (const auto line = read_line(channel, buffer)) {
    const Kind end = run_request(program, *line, channel, sink);
    if (cancel && end != Kind::kCancelled) break;  // the signal arrived just as the job ended
  }
  return 0;
}

int run_request_file(const Program& program, const Path& request) {
  install_handlers();
  const std::optional<std::string> text = RealFileSystem().read(request);
  if (!text) {
    fmt::print(stderr, "headway-worker: {} is not there\n", request.string());
    return 1;
  }
  // During the job, stdout is the log.
  const Descriptor events(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 4));
  const EventSink sink = [&](const WorkerEvent& event) { write_line(events.get(), event); };
  return run_request(program, *text, std::nullopt, sink) == Kind::kDone ? 0 : 1;
}

}  // namespace

int worker_main(int argc, char** argv, const NativeStages& stages, const std::string& version,
                const std::string& numerics) {
  const Program program{stages, numerics};
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] == "--version") {
    fmt::print("{}\n", version);
    return 0;
  }
  if (arguments.size() == 2 && arguments[0] == "--request")
    return run_request_file(program, arguments[1]);
  if (arguments.empty() && is_socket(kChannel)) {
    const int code = run_worker(program, kChannel);
    std::fflush(nullptr);
    // The engine waits for our exit, and LibTorch's destructors take 0.1 s.
    std::_Exit(code);
  }
  fmt::print(
      stderr,
      "headway-worker is started by headway, to run its stages; there is nothing to do with it by "
      "hand\n"
      "but headway-worker --version, and headway-worker --request FILE for a job of a cluster\n");
  return 2;
}

}  // namespace headway
