#include "lib/base/interrupt.h"

#include <csignal>
#include <cstdint>

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

namespace headway {
namespace {

std::atomic<Interrupt*> current{nullptr};
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

void on_signal(int) {
  const int saved = errno;
  if (Interrupt* interrupt = current.load()) interrupt->raise();
  errno = saved;
}

}  // namespace

Interrupt::Interrupt() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Interrupt::~Interrupt() {
  ::close(event_);
}

void Interrupt::raise() noexcept {
  int level = level_.load();
  while (level < kKill && !level_.compare_exchange_weak(level, level + 1)) {
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(event_, &one, sizeof one);
}

SignalGuard::SignalGuard(Interrupt& interrupt) {
  current = &interrupt;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;  // polls return EINTR all the same, plain reads and writes go on
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

SignalGuard::~SignalGuard() {
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
  current = nullptr;
}

}  // namespace headway
