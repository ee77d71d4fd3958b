#include "lib/numerics/thread_team.h"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <chrono>
#include <fstream>
#include <set>

#include "lib/base/error.h"

namespace headway {
namespace {

using Catch::Matchers::Message;

TEST_CASE("a team calls every task once", "[thread-team]") {
  for (const std::size_t size : {1, 2, 3, 8}) {
    ThreadTeam team(size);
    CHECK(team.size() == size);
    for (const std::size_t count : {0, 1, 2, 3, 7, 1000}) {
      CAPTURE(size, count);
      std::vector<std::atomic<int>> calls(count);
      team.run(count, [&](std::size_t task) { ++calls[task]; });
      std::size_t once = 0;
      for (const std::atomic<int>& each : calls) once += each == 1;
      CHECK(once == count);
    }
  }
}

TEST_CASE("a team of one works in the caller's thread, in order", "[thread-team]") {
  ThreadTeam team(1);
  std::vector<std::size_t> order;
  std::set<std::thread::id> threads;
  team.run(5, [&](std::size_t task) {
    order.push_back(task);
    threads.insert(std::this_thread::get_id());
  });
  CHECK(order == std::vector<std::size_t>{0, 1, 2, 3, 4});
  CHECK(threads == std::set{std::this_thread::get_id()});
}

TEST_CASE("tasks of a team run concurrently", "[thread-team]") {
  ThreadTeam team(3);
  std::mutex mutex;
  std::condition_variable arrived;
  int there = 0;
  bool met = true;
  team.run(3, [&](std::size_t) {  // each waits for the other two
    std::unique_lock lock(mutex);
    ++there;
    arrived.notify_all();
    met &= arrived.wait_for(lock, std::chrono::minutes(5), [&] { return there == 3; });
  });
  CHECK(met);
}

TEST_CASE("many short bursts lose no tasks", "[thread-team]") {
  ThreadTeam team(3);
  std::size_t sum = 0;
  for (std::size_t burst = 0; burst < 3000; ++burst) {
    std::array<std::size_t, 4> results = {};  // of this burst: a late task would write elsewhere
    team.run(results.size(), [&](std::size_t task) { results[task] = burst + task; });
    for (const std::size_t result : results) sum += result;
  }
  CHECK(sum == 4 * (2999 * 3000 / 2) + 3000 * 6);
}

TEST_CASE("after an exception no further task starts", "[thread-team]") {
  ThreadTeam team(1);
  std::vector<std::size_t> begun;
  const auto task = [&](std::size_t number) {
    begun.push_back(number);
    if (number == 2) throw Error("task 2");
  };
  CHECK_THROWS_MATCHES(team.run(10, task), Error, Message("task 2"));
  CHECK(begun == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("of several exceptions, the one of the lowest task is thrown", "[thread-team]") {
  ThreadTeam team(3);
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> begun = 0;
    const auto task = [&](std::size_t number) {
      ++begun;
      while (begun < 3) std::this_thread::yield();  // all three are under way before one throws
      // The lowest is the last to throw.
      if (number == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
      throw Error("task " + std::to_string(number));
    };
    CHECK_THROWS_MATCHES(team.run(3, task), Error, Message("task 0"));
    CHECK(begun == 3);
  }
}

TEST_CASE("a team waits for running tasks before it throws", "[thread-team]") {
  ThreadTeam team(2);
  std::atomic<bool> slow_began = false, slow_ended = false;
  const auto task = [&](std::size_t number) {
    if (number == 0) {
      slow_began = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      slow_ended = true;
    } else {
      while (!slow_began) std::this_thread::yield();
      throw Error("at once");
    }
  };
  CHECK_THROWS_MATCHES(team.run(2, task), Error, Message("at once"));
  CHECK(slow_ended);
}

TEST_CASE("a team remains usable after an exception", "[thread-team]") {
  ThreadTeam team(2);
  for (int round = 0; round < 100; ++round) {
    CHECK_THROWS_AS(team.run(5, [](std::size_t) { throw Error("no"); }), Error);
    std::atomic<int> calls = 0;
    team.run(5, [&](std::size_t) { ++calls; });
    CHECK(calls == 5);
  }
}

// No more memory than now and a little.
class LittleMemory {
 public:
  LittleMemory() {
    ::getrlimit(RLIMIT_AS, &before_);
    std::ifstream status("/proc/self/statm");
    rlim_t pages = 0;
    status >> pages;
    rlimit less = before_;
    less.rlim_cur = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (64 << 20);
    ::setrlimit(RLIMIT_AS, &less);
  }
  ~LittleMemory() { ::setrlimit(RLIMIT_AS, &before_); }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

 private:
  rlimit before_{};
};

TEST_CASE("a team that exceeds the system's limits is an error, and the process continues",
          "[thread-team]") {
  std::string message;
  {
    const LittleMemory little;
    try {
      ThreadTeam team(500);
    } catch (const Error& error) {
      message = error.what();
    }
  }
  CHECK(message ==
        "cannot start a thread: resource temporarily unavailable; allow more processes or memory "
        "(ulimit -u, ulimit -v), or use fewer cpus");
  ThreadTeam after(3);
  std::atomic<int> calls = 0;
  after.run(5, [&](std::size_t) { ++calls; });
  CHECK(calls == 5);
}

}  // namespace
}  // namespace headway
