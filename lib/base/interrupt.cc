#include "lib/base/interrupt.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

#include "lib/base/guardian.h"

namespace headway {
namespace {

std::atomic<Interrupt*> current{nullptr};
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, kGuardianDied};
constexpr std::int64_t kSamePressNs = 100'000'000;

std::atomic<std::int64_t> last_sent_ns{0};       // to us
std::atomic<std::int64_t> last_forwarded_ns{0};  // by the guardian
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "they are used in a signal handler");

// A signal to the process group reaches us twice: directly, and forwarded by the guardian, which
// cannot know that we received it. One ctrl-C must not count as two.
bool is_echo(const siginfo_t* info) {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = time.tv_sec * 1'000'000'000LL + time.tv_nsec;
  const bool forwarded = info->si_code <= 0 && guardian_id() != 0 && info->si_pid == guardian_id();
  const std::int64_t other = (forwarded ? last_sent_ns : last_forwarded_ns).load();
  (forwarded ? last_forwarded_ns : last_sent_ns).store(now);
  return other != 0 && now - other < kSamePressNs;
}

void on_signal(int signal, siginfo_t* info, void*) {
  const int saved = errno;
  Interrupt* interrupt = current.load();
  if (interrupt && signal == kGuardianDied) {  // nobody waits for a clean stop
    interrupt->raise();
    interrupt->raise();
  } else if (interrupt && !is_echo(info)) {
    interrupt->raise();
  }
  errno = saved;
}

}  // namespace

Interrupt::Interrupt() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Interrupt::raise() noexcept {
  int level = level_.load();
  while (level < kKill && !level_.compare_exchange_weak(level, level + 1)) {
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(event_.get(), &one, sizeof one);
}

SignalGuard::SignalGuard(Interrupt& interrupt) {
  current = &interrupt;
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_RESTART | SA_SIGINFO;  // restarts read and write; poll returns EINTR anyway
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

SignalGuard::~SignalGuard() {
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
  current = nullptr;
}

}  // namespace headway
