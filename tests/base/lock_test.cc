// Locks of RealFileSystem, between threads and between processes.
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <thread>
#include <vector>

#include "lib/base/error.h"
#include "lib/base/file_system.h"
#include "tests/support/temporary_folder.h"

namespace headway {
namespace {

using testing::TemporaryFolder;

TEST_CASE("a lock excludes a second holder until it is let go", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  auto held = files.try_lock(folder / "lock", LockMode::kExclusive);
  REQUIRE(held);
  CHECK_FALSE(files.try_lock(folder / "lock", LockMode::kExclusive));
  CHECK_FALSE(files.try_lock(folder / "lock", LockMode::kShared));
  held.reset();
  CHECK(files.try_lock(folder / "lock", LockMode::kExclusive));
}

TEST_CASE("shared locks stand side by side and keep an exclusive one out", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  auto one = files.try_lock(folder / "lock", LockMode::kShared);
  auto two = files.try_lock(folder / "lock", LockMode::kShared);
  REQUIRE(one);
  REQUIRE(two);
  CHECK_FALSE(files.try_lock(folder / "lock", LockMode::kExclusive));
  one.reset();
  CHECK_FALSE(files.try_lock(folder / "lock", LockMode::kExclusive));
  two.reset();
  CHECK(files.try_lock(folder / "lock", LockMode::kExclusive));
}

TEST_CASE("different locks have nothing to do with each other", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  const auto a = files.try_lock(folder / "a", LockMode::kExclusive);
  CHECK(files.try_lock(folder / "b", LockMode::kExclusive));
}

TEST_CASE("a lock whose file was removed is not held by whoever holds the old file", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  const auto old = files.try_lock(folder / "lock", LockMode::kExclusive);
  files.remove(folder / "lock");
  const auto fresh = files.try_lock(folder / "lock", LockMode::kExclusive);
  CHECK(fresh);
  CHECK_FALSE(files.try_lock(folder / "lock", LockMode::kExclusive));
}

TEST_CASE("locks exclude while their files are removed all the time", "[base]") {
  const TemporaryFolder folder;
  std::atomic<int> inside{0};
  std::atomic<int> collisions{0};
  int turns = 0;  // guarded by the lock alone
  const auto work = [&] {
    RealFileSystem files;
    for (int i = 0; i < 1500;) {
      const auto lock = files.try_lock(folder / "lock", LockMode::kExclusive);
      if (!lock) {
        std::this_thread::yield();
        continue;
      }
      if (++inside != 1) ++collisions;
      std::this_thread::yield();  // let the others come in, if they can
      ++turns;
      --inside;
      files.remove(folder / "lock");  // as the last act of holding it
      ++i;
    }
  };
  std::vector<std::thread> workers;
  for (int i = 0; i < 3; ++i) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  CHECK(collisions == 0);
  CHECK(turns == 4500);
}

TEST_CASE("the lock of a process that was killed is free", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto held = files.try_lock(folder / "lock", LockMode::kExclusive);
    [[maybe_unused]] const ssize_t written = ::write(ready[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char byte;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK_FALSE(files.try_lock(folder / "lock", LockMode::kExclusive));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(files.try_lock(folder / "lock", LockMode::kExclusive));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("a lock in a folder that is not there is an error", "[base]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(RealFileSystem().try_lock(folder / "no/lock", LockMode::kExclusive), Error);
}

}  // namespace
}  // namespace headway
