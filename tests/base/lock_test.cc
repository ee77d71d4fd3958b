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

TEST_CASE("a lock excludes a second holder until it is released", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  auto held = files.try_lock(folder / "lock", LockMode::kExclusive);
  REQUIRE(held);
  CHECK_FALSE(files.try_lock(folder / "lock", LockMode::kExclusive));
  CHECK_FALSE(files.try_lock(folder / "lock", LockMode::kShared));
  held.reset();
  CHECK(files.try_lock(folder / "lock", LockMode::kExclusive));
}

TEST_CASE("shared locks coexist and exclude an exclusive one", "[base]") {
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

TEST_CASE("whether a lock is held exclusively can be seen without taking it", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  CHECK_FALSE(files.is_locked(folder / "lock"));
  CHECK_FALSE(files.exists(folder / "lock"));
  auto held = files.try_lock(folder / "lock", LockMode::kExclusive);
  CHECK(files.is_locked(folder / "lock"));
  CHECK(files.is_locked(folder / "lock"));
  held = files.try_lock(folder / "other", LockMode::kExclusive);
  CHECK_FALSE(files.is_locked(folder / "lock"));
  held = files.try_lock(folder / "lock", LockMode::kShared);
  CHECK_FALSE(files.is_locked(folder / "lock"));
}

TEST_CASE("different locks are independent", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  const auto a = files.try_lock(folder / "a", LockMode::kExclusive);
  CHECK(files.try_lock(folder / "b", LockMode::kExclusive));
}

TEST_CASE("a lock whose file was removed is not held through the old file", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  const auto old = files.try_lock(folder / "lock", LockMode::kExclusive);
  files.remove(folder / "lock");
  const auto fresh = files.try_lock(folder / "lock", LockMode::kExclusive);
  CHECK(fresh);
  CHECK_FALSE(files.try_lock(folder / "lock", LockMode::kExclusive));
}

TEST_CASE("locks still exclude each other while their files are constantly removed", "[base]") {
  const TemporaryFolder folder;
  std::atomic<int> inside{0};
  std::atomic<int> collisions{0};
  int turns = 0;  // guarded only by the lock
  const auto work = [&] {
    RealFileSystem files;
    for (int i = 0; i < 1500;) {
      const auto lock = files.try_lock(folder / "lock", LockMode::kExclusive);
      if (!lock) {
        std::this_thread::yield();
        continue;
      }
      if (++inside != 1) ++collisions;
      std::this_thread::yield();  // let the others in, if they can
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

TEST_CASE("the lock of a killed process is free", "[base]") {
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

TEST_CASE("a lock in a missing folder is an error", "[base]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(RealFileSystem().try_lock(folder / "no/lock", LockMode::kExclusive), Error);
}

}  // namespace
}  // namespace headway
