#include "lib/base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "lib/base/error.h"
#include "lib/base/interrupt.h"

namespace headway {
namespace {

constexpr int kChannel = 3;

struct ChildPlan {
  const char* program;
  char* const* argv;
  char* const* environment;
  const char* directory;  // null: stay
  int input;
  int output;
  int channel;
  pid_t parent;                     // 0: may outlive us
  const std::vector<int>& signals;  // to be as they are by default
  volatile int error;  // errno of what failed before exec; the parent shares this memory
};

// Signals that are not as they are by default: those that we handle or ignore, and those that were
// ignored when we began (nohup). All others are left alone: 60 system calls less for each child.
// Handlers end with exec, but must not run before it, in our memory.
const std::vector<int>& changed_signals() {
  static const std::vector<int> kChanged = [] {
    std::vector<int> changed(std::begin(kHandledSignals), std::end(kHandledSignals));
    changed.push_back(SIGPIPE);
    for (int signal = 1; signal < NSIG; ++signal) {
      struct sigaction now {};
      const bool is_ignored = ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
      if (is_ignored) changed.push_back(signal);
    }
    return changed;
  }();
  return kChanged;
}

// Runs in the child between vfork and exec, in the parent's memory: only system calls, no
// allocation.
[[noreturn]] void become(ChildPlan& plan) {
  ::setpgid(0, 0);
  if (plan.parent != 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != plan.parent) ::_exit(127);  // it died before prctl
  }
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  for (const int signal : plan.signals) ::sigaction(signal, &by_default, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(plan.input, 0);
  ::dup2(plan.output, 1);
  ::dup2(plan.output, 2);
  if (plan.channel == kChannel) {
    ::fcntl(kChannel, F_SETFD, 0);  // dup2 onto itself would leave close-on-exec set
  } else if (plan.channel >= 0) {
    ::dup2(plan.channel, kChannel);
  }
  if (plan.directory && ::chdir(plan.directory) != 0) {
    plan.error = errno;
    ::_exit(127);
  }
  ::execve(plan.program, plan.argv, plan.environment);
  plan.error = errno;
  ::_exit(127);
}

// vfork, because fork copies page tables, which is slow, and posix_spawn cannot set a death signal.
[[gnu::noinline]] pid_t start(ChildPlan& plan) {
  const pid_t pid = ::vfork();
  if (pid == 0) become(plan);
  return pid;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& string : strings) result.push_back(const_cast<char*>(string.c_str()));
  result.push_back(nullptr);
  return result;
}

}  // namespace

std::string ProcessExit::describe() const {
  if (signal == 0) return fmt::format("exit code {}", code);
  std::string name = ::strsignal(signal);
  name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  return fmt::format("killed by signal {} ({})", signal, name);
}

Process::Process(const ProcessSpec& spec) {
  const std::vector<char*> argv = pointers(spec.argv);
  const std::vector<char*> environment = pointers(spec.environment);
  const Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ChildPlan plan{argv[0],
                 argv.data(),
                 environment.data(),
                 spec.directory.empty() ? nullptr : spec.directory.c_str(),
                 null.get(),
                 spec.output >= 0 ? spec.output : null.get(),
                 spec.channel,
                 spec.dies_with_us ? ::getpid() : 0,
                 changed_signals(),
                 0};
  // Our signal handlers must not run in the child while it shares our memory.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_ = start(plan);
  const int fork_error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  // Where vfork is fork (under the thread sanitizer), the child may not have done it yet.
  if (pid_ > 0) ::setpgid(pid_, pid_);
  if (pid_ < 0) throw Error("cannot start a process: {}", describe_errno(fork_error));
  if (plan.error != 0) {
    ::waitpid(pid_, nullptr, 0);
    throw Error("cannot start {}: {}", spec.argv[0], describe_errno(plan.error));
  }
  pidfd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (!pidfd_) {
    const int pidfd_error = errno;
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    throw Error("cannot watch a process: {}", describe_errno(pidfd_error));
  }
}

Process::~Process() {
  if (reaped_) return;
  signal_group(SIGKILL);
  reap();
}

void Process::signal_group(int signal) {
  if (!reaped_) ::kill(-pid_, signal);
}

bool Process::ended() {
  return wait_for(0);
}

bool Process::wait_for(double seconds) {
  pollfd waiting{pidfd_.get(), POLLIN, 0};
  const int count = ::poll(&waiting, 1, seconds < 0 ? -1 : static_cast<int>(seconds * 1000));
  return count > 0;
}

ProcessExit Process::reap() {
  // While the dead child is not reaped, its group's id cannot be reused: kill the group now.
  siginfo_t info;
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  ::kill(-pid_, SIGKILL);
  int status = 0;
  rusage usage{};
  while (::wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  reaped_ = true;
  // If we are a subreaper, the rest of the group are our children now. Wait for them, so that
  // nothing writes any more when this returns.
  while (::waitpid(-pid_, nullptr, 0) > 0) {
  }
  ProcessExit exit;
  if (WIFSIGNALED(status)) {
    exit.signal = WTERMSIG(status);
  } else {
    exit.code = WEXITSTATUS(status);
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  exit.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  exit.peak_memory = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return exit;
}

std::vector<std::string> inherited_environment(const std::vector<std::string>& names) {
  std::vector<std::string> environment;
  for (const std::string& name : names) {
    if (const char* value = std::getenv(name.c_str())) environment.push_back(name + "=" + value);
  }
  return environment;
}

void set_variable(std::vector<std::string>& environment, const std::string& setting) {
  const std::string name = setting.substr(0, setting.find('=') + 1);
  std::erase_if(environment, [&](const std::string& other) { return other.starts_with(name); });
  environment.push_back(setting);
}

}  // namespace headway
