#include "lib/base/guardian.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/file_system.h"

namespace headway {
namespace {

pid_t guardian = 0;

// Forwarded to the engine if they were sent to us alone. A terminal sends them to both.
constexpr int kForwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1};

sigset_t waited_for() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGCHLD);
  for (const int signal : kForwarded) ::sigaddset(&signals, signal);
  return signals;
}

// A child is listed under the thread that started it, an inherited child under any thread.
std::vector<pid_t> children() {
  std::vector<pid_t> all;
  const Path threads = "/proc/self/task";
  for (const std::string& thread : RealFileSystem().list(threads)) {
    std::istringstream ids(RealFileSystem().read(threads / thread / "children").value_or(""));
    for (pid_t child = 0; ids >> child;) all.push_back(child);
  }
  return all;
}

// Exits as the engine did, so that our parent sees what happened to it.
[[noreturn]] void end_as(int status) {
  if (WIFEXITED(status)) ::_exit(WEXITSTATUS(status));
  const rlimit none{0, 0};  // one core dump is enough
  ::setrlimit(RLIMIT_CORE, &none);
  const int signal = WTERMSIG(status);
  sigset_t just_it;
  ::sigemptyset(&just_it);
  ::sigaddset(&just_it, signal);
  std::signal(signal, SIG_DFL);
  ::raise(signal);
  ::sigprocmask(SIG_UNBLOCK, &just_it, nullptr);
  ::_exit(128 + signal);
}

[[noreturn]] void guard(pid_t engine, const sigset_t& signals) {
  for (;;) {
    siginfo_t info{};
    const int signal = ::sigwaitinfo(&signals, &info);
    if (signal > 0 && signal != SIGCHLD && info.si_code <= 0) ::kill(engine, signal);
    int status = 0;
    for (pid_t ended = 0; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended != engine) continue;
      kill_descendants();
      end_as(status);
    }
  }
}

}  // namespace

void start_guardian() {
  if (guardian != 0) return;
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  sigset_t signals = waited_for();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t engine = ::fork();
  if (engine > 0) guard(engine, signals);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // the engine too, for the day the guardian dies
  if (engine < 0) return;
  guardian = parent;
  ::prctl(PR_SET_PDEATHSIG, kGuardianDied);
  if (::getppid() != parent) ::_exit(128 + SIGKILL);  // it died before prctl could say so
}

pid_t guardian_id() {
  return guardian;
}

bool is_guardian_dead() {
  return guardian != 0 && ::getppid() != guardian;
}

void kill_descendants() {
  // A process that waits for a broken disk cannot be killed; do not wait for it for ever. Rounds
  // are counted, not seconds: on a busy machine these may pass without us.
  constexpr int kMostRounds = 5000;
  try {
    std::vector<pid_t> left = children();
    for (int round = 0; !left.empty() && round < kMostRounds; ++round, left = children()) {
      for (const pid_t child : left) ::kill(child, SIGKILL);
      while (::waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  } catch (const std::exception&) {  // no memory left; the engine's guardian tries again
  }
}

}  // namespace headway
