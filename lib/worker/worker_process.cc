#include "lib/worker/worker_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "lib/base/error.h"

namespace headway {
namespace {

constexpr double kFarewellSeconds = 5;  // for an idle worker to exit by itself

[[noreturn]] void fail(const char* what) {
  throw Error("cannot start a worker: {}: {}", what, describe_errno(errno));
}

}  // namespace

WorkerProcess::WorkerProcess(const Path& program, const std::vector<std::string>& environment)
    : output_(::memfd_create("worker output", MFD_CLOEXEC)) {
  if (output_.get() < 0) fail("memfd");
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) < 0) fail("socketpair");
  channel_.reset(ends[0]);
  const Descriptor theirs(ends[1]);
  ::fcntl(channel_.get(), F_SETFL, O_NONBLOCK);
  ProcessSpec spec;
  spec.argv = {program.string()};
  spec.environment = environment;
  spec.output = output_.get();
  spec.channel = theirs.get();
  spec.dies_with_us =
      false;  // it outlives the thread that starts it; if we die, its channel closes
  process_.emplace(spec);
}

WorkerProcess::~WorkerProcess() {
  dismiss();
  if (process_) process_->wait_for(kFarewellSeconds);
}

void WorkerProcess::post(const std::string& line) {
  queued_ += line + "\n";
  send_queued();
}

void WorkerProcess::send_queued() {
  while (!queued_.empty() && !hung_up_) {
    const ssize_t sent =
        ::send(channel_.get(), queued_.data(), queued_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      queued_.erase(0, static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      queued_.clear();  // it hung up; receive() notices, after reading its last lines
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
      // Also ECONNRESET: it ended before it had read all of the request.
      if (count == 0 || errno != EAGAIN) hung_up_ = true;
      return;
    }
  }
}

void WorkerProcess::watch(std::vector<pollfd>& descriptors) const {
  descriptors.push_back({process_->descriptor(), POLLIN, 0});
  if (hung_up_) return;
  const short wanted = static_cast<short>(queued_.empty() ? POLLIN : POLLIN | POLLOUT);
  descriptors.push_back({channel_.get(), wanted, 0});
}

void WorkerProcess::exchange() {
  send_queued();
  if (!hung_up_) receive();
}

bool WorkerProcess::is_idle() {
  if (process_->ended() || !lines_.empty()) return false;
  pollfd waiting{channel_.get(), POLLIN, 0};
  return ::poll(&waiting, 1, 0) == 0;  // it has neither sent anything nor hung up
}

void WorkerProcess::signal(int signal) {
  ::kill(process_->id(), signal);  // reap() was not called, so the pid is still valid
}

std::string WorkerProcess::take_output() {
  std::string output;
  std::array<char, 4096> bytes;
  for (;;) {
    const ssize_t count = ::pread(output_.get(), bytes.data(), bytes.size(), output_taken_);
    if (count <= 0) return output;
    output.append(bytes.data(), static_cast<std::size_t>(count));
    output_taken_ += count;
  }
}

}  // namespace headway
