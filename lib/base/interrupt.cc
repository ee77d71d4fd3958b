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
constexpr std::int64_t kSamePressNs = 5'000'000'000;  // the guardian may have to wait for a cpu

// When a signal came by one way and not yet by the other; 0: none did.
std::atomic<std::int64_t> sent_ns{0};       // to us
std::atomic<std::int64_t> forwarded_ns{0};  // by the guardian
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "they are used in a signal handler");

// A signal that a process sends to our group reaches us twice: directly, and forwarded by the
// guardian, which cannot know that we received it. It must not count as two. What the terminal
// sends is not forwarded.
bool is_echo(const siginfo_t* info) {
  if (info->si_code > 0) return false;
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = time.tv_sec * 1'000'000'000LL + time.tv_nsec;
  const bool forwarded = guardian_id() != 0 && info->si_pid == guardian_id();
  const std::int64_t other = (forwarded ? sent_ns : forwarded_ns).exchange(0);
  const bool is_second = other != 0 && now - other < kSamePressNs;
  if (!is_second) (forwarded ? forwarded_ns : sent_ns).store(now);
  return is_second;
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
  for (const int signal : kHandledSignals) ::sigaction(signal, &action, nullptr);
}

SignalGuard::~SignalGuard() {
  for (const int signal : kHandledSignals) std::signal(signal, SIG_DFL);
  current = nullptr;
}

}  // namespace headway
