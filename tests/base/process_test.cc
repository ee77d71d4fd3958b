#include "lib/base/process.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

#include "lib/base/error.h"
#include "lib/base/interrupt.h"
#include "tests/support/temporary_folder.h"

namespace headway {
namespace {

using testing::TemporaryFolder;

ProcessSpec sh(const std::string& script) {
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", script};
  spec.environment = {"PATH=/usr/bin:/bin"};
  return spec;
}

ProcessExit outcome(const ProcessSpec& spec) {
  return Process(spec).reap();
}

// What a process prints.
std::string printed(ProcessSpec spec) {
  const TemporaryFolder folder;
  spec.output = ::open((folder / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  Process(spec).reap();
  ::close(spec.output);
  return folder.read("out");
}

bool alive(pid_t pid) {
  // A zombie that init has not reaped yet counts as dead.
  const auto status = RealFileSystem().read("/proc/" + std::to_string(pid) + "/stat");
  return status && status->find(") Z ") == std::string::npos;
}

// Waits for it, for at most a minute.
bool happens(const std::function<bool()>& event) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!event() && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return event();
}

bool dies(pid_t pid) {
  return happens([&] { return !alive(pid); });
}

// The thread sanitizer turns vfork into fork. Then the child's memory is not ours, and we do not
// learn why it could not start the program. Nor does our thread wait until the child has asked to
// die with it.
void skip_if_vfork_is_fork() {
#ifdef __SANITIZE_THREAD__
  SKIP("the thread sanitizer has no vfork");
#endif
}

pid_t pid_in(const TemporaryFolder& folder, const char* file) {
  REQUIRE(happens([&] { return folder.read(file).ends_with("\n"); }));
  return std::atoi(folder.read(file).c_str());
}

TEST_CASE("a process reports its exit code", "[base]") {
  CHECK(outcome(sh("exit 0")).succeeded());
  const ProcessExit exit = outcome(sh("exit 3"));
  CHECK_FALSE(exit.succeeded());
  CHECK(exit.code == 3);
  CHECK(exit.signal == 0);
  CHECK(exit.describe() == "exit code 3");
}

TEST_CASE("a process reports the signal that ended it", "[base]") {
  const ProcessExit exit = outcome(sh("kill -SEGV $$"));
  CHECK_FALSE(exit.succeeded());
  CHECK(exit.signal == SIGSEGV);
  CHECK(exit.describe() == "killed by signal 11 (segmentation fault)");
}

TEST_CASE("a missing program is reported with its name and the reason", "[base]") {
  skip_if_vfork_is_fork();
  ProcessSpec spec;
  spec.argv = {"/no/such/program"};
  try {
    Process process(spec);
    FAIL("it started");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "cannot start /no/such/program: no such file or directory");
  }
}

TEST_CASE("a file that is not executable is reported as such", "[base]") {
  skip_if_vfork_is_fork();
  const TemporaryFolder folder;
  ProcessSpec spec;
  spec.argv = {folder.write("data.txt", "x").string()};
  CHECK_THROWS_AS(Process(spec), Error);
}

TEST_CASE("a missing working directory is an error, not a run elsewhere", "[base]") {
  skip_if_vfork_is_fork();
  ProcessSpec spec = sh("true");
  spec.directory = "/no/such/folder";
  CHECK_THROWS_AS(Process(spec), Error);
}

TEST_CASE("a process runs in the folder it was given", "[base]") {
  const TemporaryFolder folder;
  ProcessSpec spec = sh("pwd -P");
  spec.directory = folder.path();
  CHECK(printed(spec) == folder.path().string() + "\n");
}

TEST_CASE("a process does not inherit our environment", "[base]") {
  ::setenv("HEADWAY_SECRET", "x", 1);
  ProcessSpec spec;
  spec.argv = {"/usr/bin/env"};
  spec.environment = {"A=1", "B=two words"};
  CHECK(printed(spec) == "A=1\nB=two words\n");
  ::unsetenv("HEADWAY_SECRET");
}

TEST_CASE("only named variables that are set are passed on from our environment", "[base]") {
  ::setenv("HEADWAY_ONE", "1", 1);
  ::setenv("HEADWAY_EMPTY", "", 1);
  ::unsetenv("HEADWAY_NONE");
  CHECK(inherited_environment({"HEADWAY_ONE", "HEADWAY_NONE", "HEADWAY_EMPTY"}) ==
        std::vector<std::string>{"HEADWAY_ONE=1", "HEADWAY_EMPTY="});
  ::unsetenv("HEADWAY_ONE");
  ::unsetenv("HEADWAY_EMPTY");
}

TEST_CASE("both outputs of a process go to the same place, in order", "[base]") {
  CHECK(printed(sh("echo out; echo err >&2; echo out")) == "out\nerr\nout\n");
}

TEST_CASE("a process does not read from our terminal", "[base]") {
  CHECK(printed(sh("cat; echo end")) == "end\n");
}

TEST_CASE("arguments reach the program unchanged", "[base]") {
  ProcessSpec spec = sh("printf '[%s]' \"$@\"");
  spec.argv.insert(spec.argv.end(), {"sh", "a b", "", "*", "it's"});
  CHECK(printed(spec) == "[a b][][*][it's]");
}

TEST_CASE("a channel is descriptor 3 of the process", "[base]") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  ProcessSpec spec = sh("echo hello >&3");
  spec.channel = ends[1];
  CHECK(outcome(spec).succeeded());
  ::close(ends[1]);
  char buffer[16] = {};
  CHECK(::read(ends[0], buffer, sizeof buffer) == 6);
  CHECK(std::string(buffer) == "hello\n");
  ::close(ends[0]);
}

TEST_CASE("our open files are closed in a process", "[base]") {
  const TemporaryFolder folder;
  const int ours = ::open(folder.write("ours", "").c_str(), O_RDONLY | O_CLOEXEC);
  CHECK(printed(sh("ls -l /proc/self/fd")).find("/ours") == std::string::npos);
  ::close(ours);
}

TEST_CASE("signals that we ignore or block work in a process", "[base]") {
  const auto before = ::signal(SIGTERM, SIG_IGN);
  CHECK(outcome(sh("kill -TERM $$; exit 0")).signal == SIGTERM);
  ::signal(SIGTERM, before);
  sigset_t blocked, mask;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &mask);
  CHECK(outcome(sh("kill -TERM $$; exit 0")).signal == SIGTERM);
  ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

TEST_CASE("what our programs ignore or handle is as usual in a process", "[base]") {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  CHECK(outcome(sh("kill -PIPE $$; exit 0")).signal == SIGPIPE);
  ::signal(SIGPIPE, before);
  Interrupt interrupt;
  const SignalGuard guard(interrupt);
  for (const int signal : kHandledSignals)
    CHECK(outcome(sh("kill -" + std::to_string(signal) + " $$; exit 0")).signal == signal);
  CHECK_FALSE(interrupt.requested());
}

TEST_CASE("waiting ends at the timeout or with the process", "[base]") {
  const TemporaryFolder folder;
  ProcessSpec spec = sh("echo $$ > pid; exec sleep 600");
  spec.directory = folder.path();
  Process process(spec);
  pid_in(folder, "pid");  // only a process that has begun has a group (skip_if_vfork_is_fork)
  CHECK_FALSE(process.ended());
  CHECK_FALSE(process.wait_for(0.02));
  process.signal_group(SIGTERM);
  CHECK(process.wait_for(60));
  CHECK(process.ended());
  CHECK(process.reap().signal == SIGTERM);
}

TEST_CASE("a signal to the group reaches grandchildren", "[base]") {
  const TemporaryFolder folder;
  ProcessSpec spec = sh("(sleep 600 & echo $! > pid; wait) & wait");
  spec.directory = folder.path();
  Process process(spec);
  const pid_t grandchild = pid_in(folder, "pid");
  REQUIRE(alive(grandchild));
  process.signal_group(SIGTERM);
  CHECK(dies(grandchild));  // before reap(), which kills the group
}

TEST_CASE("what a process left running ends when the process is reaped", "[base]") {
  const TemporaryFolder folder;
  ProcessSpec spec = sh("sleep 600 & echo $! > pid; exit 0");
  spec.directory = folder.path();
  Process process(spec);
  CHECK(process.reap().succeeded());
  CHECK(dies(pid_in(folder, "pid")));
}

TEST_CASE("a process that goes out of scope is killed with its children", "[base]") {
  const TemporaryFolder folder;
  ProcessSpec spec = sh("trap '' TERM; sleep 600 & echo $! > pid; wait");
  spec.directory = folder.path();
  pid_t child = 0;
  pid_t grandchild = 0;
  {
    Process process(spec);
    child = process.id();
    grandchild = pid_in(folder, "pid");
  }
  CHECK_FALSE(alive(child));
  CHECK(dies(grandchild));
}

TEST_CASE("a process dies with the thread that started it, unless that is turned off", "[base]") {
  skip_if_vfork_is_fork();
  std::unique_ptr<Process> bound;
  std::unique_ptr<Process> free;
  ProcessSpec spec = sh("exec sleep 600");
  std::thread([&] {
    bound = std::make_unique<Process>(spec);
    spec.dies_with_us = false;
    free = std::make_unique<Process>(spec);
  }).join();
  CHECK(bound->wait_for(60));
  CHECK_FALSE(free->wait_for(0.05));
}

TEST_CASE("a process reports its memory and processor time", "[base]") {
  const ProcessExit exit = outcome(sh("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"));
  CHECK(exit.cpu_seconds > 0);
  CHECK(exit.cpu_seconds < 10);
  CHECK(exit.peak_memory > 100'000);
}

}  // namespace
}  // namespace headway
