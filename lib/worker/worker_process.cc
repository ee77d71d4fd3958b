#include "lib/worker/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "lib/base/error.h"

namespace headway {
namespace {

// How long an ended worker may take to be seen as ended, and an idle one to end by itself.
constexpr double kFarewellSeconds = 1;

[[noreturn]] void fail(const char* what) {
  throw Error(fmt::format("cannot start a worker: {}: {}", what, describe_errno(errno)));
}

}  // namespace

WorkerProcess::WorkerProcess(const Path& program, const std::vector<std::string>& environment)
    : words_(::memfd_create("worker output", MFD_CLOEXEC)) {
  if (words_.get() < 0) fail("memfd");
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) < 0) fail("socketpair");
  channel_.reset(ends[0]);
  const Descriptor theirs(ends[1]);
  ::fcntl(channel_.get(), F_SETFL, O_NONBLOCK);
  ProcessSpec spec;
  spec.argv = {program.string()};
  spec.environment = environment;
  spec.output = words_.get();
  spec.channel = theirs.get();
  spec.dies_with_us =
      false;  // it outlives the thread that starts it; when we die its channel closes
  process_.emplace(spec);
}

WorkerProcess::~WorkerProcess() {
  dismiss();
  if (process_) process_->wait_for(gone_ ? 0 : kFarewellSeconds);
}

void WorkerProcess::post(const std::string& line) {
  queued_ += line + "\n";
  send_queued();
}

void WorkerProcess::send_queued() {
  while (!queued_.empty() && !gone_) {
    const ssize_t sent =
        ::send(channel_.get(), queued_.data(), queued_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      queued_.erase(0, static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      queued_.clear();  // it is gone; receive() will say so, after what it still had to say
    }
  }
}

void WorkerProcess::receive() {
  std::array<char, 1 << 14> bytes;
  for (;;) {
    const ssize_t count = ::recv(channel_.get(), bytes.data(), bytes.size(), 0);
    if (count > 0) {
      lines_.add({bytes.data(), static_cast<std::size_t>(count)});
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else {
      // Also ECONNRESET: it ended without having read all of the request.
      if (count == 0 || errno != EAGAIN) gone_ = true;
      return;
    }
  }
}

void WorkerProcess::wait(int also, int milliseconds) {
  const short wanted = static_cast<short>(queued_.empty() ? POLLIN : POLLIN | POLLOUT);
  std::array<pollfd, 3> waiting = {{{channel_.get(), wanted, 0},
                                    {process_->descriptor(), POLLIN, 0},
                                    {also, POLLIN, 0}}};                 // poll passes over a -1
  if (::poll(waiting.data(), waiting.size(), milliseconds) < 0) return;  // a signal
  send_queued();
  // In this order: what it sent before it ended is in the channel by the time its end is seen.
  const bool ended = waiting[1].revents != 0;
  receive();
  if (ended) gone_ = true;
}

bool WorkerProcess::idles() {
  if (process_->ended() || !lines_.empty()) return false;
  pollfd waiting{channel_.get(), POLLIN, 0};
  return ::poll(&waiting, 1, 0) == 0;  // it has nothing to say, and has not hung up
}

void WorkerProcess::signal(int signal) {
  ::kill(process_->id(), signal);  // not reaped before reap(), so the number is still its own
}

void WorkerProcess::signal_group(int signal) {
  process_->signal_group(signal);
}

ProcessExit WorkerProcess::kill() {
  gone_ = true;
  process_->signal_group(SIGKILL);
  return process_->reap();
}

ProcessExit WorkerProcess::reap() {
  if (process_->wait_for(kFarewellSeconds)) return process_->reap();
  return kill();  // it only closed its channel
}

std::string WorkerProcess::take_words() {
  std::string words;
  std::array<char, 4096> bytes;
  for (;;) {
    const ssize_t count = ::pread(words_.get(), bytes.data(), bytes.size(), words_taken_);
    if (count <= 0) return words;
    words.append(bytes.data(), static_cast<std::size_t>(count));
    words_taken_ += count;
  }
}

}  // namespace headway
