#include "tests/support/misbehave.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>

namespace headway::testing {
namespace {

// Reports progress from the beginning, or only after it was asked to stop.
[[noreturn]] void go_on_for_ever(StageContext& context, bool reports) {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (reports || context.cancelled()) context.progress(0.5, "not listening");
  }
}

void write_to_channel() {
  constexpr std::string_view kNonsense = "hello, this is not an event\n";
  [[maybe_unused]] const ssize_t written = ::write(3, kNonsense.data(), kNonsense.size());
}

// Sends the signal with its default action: sanitizers turn real faults into exit codes.
void raise_by_default(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

const std::vector<std::string>& misbehaviours() {
  static const std::vector<std::string> kAll = {
      "none", "throw", "throw-odd",     "segfault",  "abort",  "bad-alloc",
      "hang", "exit",  "ignore-cancel", "kill-self", "garbage"};
  return kAll;
}

void misbehave(const std::string& how, StageContext& context) {
  if (how == "throw") throw Error("thrown on purpose");
  if (how == "throw-odd") throw 42;
  if (how == "bad-alloc") throw std::bad_alloc();
  if (how == "segfault") raise_by_default(SIGSEGV);
  if (how == "abort") {
    std::printf("about to abort\n");
    raise_by_default(SIGABRT);
  }
  if (how == "exit") ::_exit(7);
  if (how == "kill-self") ::kill(::getpid(), SIGKILL);
  if (how == "hang") go_on_for_ever(context, false);
  if (how == "ignore-cancel") go_on_for_ever(context, true);
  if (how == "garbage") write_to_channel();
}

}  // namespace headway::testing
