// Sessions: who may take over what, and locks that do not work.
#include "lib/cluster/session.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "lib/base/error.h"
#include "tests/cluster/forwarding_file_system.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/memory_file_system.h"
#include "tests/support/project.h"
#include "tests/support/temporary_folder.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

const Path kFolder = "/outputs/.headway/cluster";

Names folders(const std::vector<std::unique_ptr<ClusterSession>>& sessions) {
  Names names;
  for (const auto& session : sessions) names.push_back(session->folder().filename().string());
  return names;
}

// Left by a run that has ended.
void leave_session(FileSystem& files, const std::string& id, const std::string& pipeline) {
  ClusterSession(files, kFolder, id, pipeline);
}

TEST_CASE("a run takes over the sessions of its pipeline that nobody holds") {
  MemoryFileSystem files;
  leave_session(files, "1", "p");
  leave_session(files, "2", "other");
  leave_session(files, "3", "p");
  const ClusterSession held(files, kFolder, "4", "p");
  const auto taken = ClusterSession::take_over(files, kFolder, "p");
  CHECK(folders(taken) == Names{"1", "3"});
  CHECK(ClusterSession::take_over(files, kFolder, "p").empty());  // they are held now
}

TEST_CASE("a session whose run has ended is free again") {
  MemoryFileSystem files;
  leave_session(files, "1", "p");
  CHECK(ClusterSession::take_over(files, kFolder, "p").size() == 1);
  CHECK(ClusterSession::take_over(files, kFolder, "p").size() == 1);
}

TEST_CASE("a folder that is not a session is left alone") {
  MemoryFileSystem files;
  files.put(kFolder / "a" / "session.json", "{");
  files.put(kFolder / "b" / "session.json", "[\"p\"]");
  files.put(kFolder / "c" / "session.json", "{\"pipeline\": 3}");
  files.make_directories(kFolder / "d");
  files.put(kFolder / "e", "a file");
  CHECK(ClusterSession::take_over(files, kFolder, "p").empty());
  CHECK(ClusterSession::take_over(files, "/nowhere", "p").empty());
}

TEST_CASE("a session that is removed leaves nothing") {
  MemoryFileSystem files;
  ClusterSession session(files, kFolder, "1", "p");
  files.put(session.attempts() / "1-000001" / "out" / "a", "a");
  session.remove();
  CHECK(files.list(kFolder).empty());
}

TEST_CASE("a session that cannot be removed stays under another name, for gc") {
  MemoryFileSystem disk;
  FaultyFileSystem files(disk);
  ClusterSession session(files, kFolder, "1", "p");
  files.before = [&](std::size_t, std::string_view doing) {
    if (doing == "remove") files.make_read_only(Path(kFolder) / "1.removed");  // it was renamed
  };
  CHECK_NOTHROW(session.remove());
  CHECK(sessions_in(disk, kFolder, "").empty());
  CHECK(removed_sessions_in(disk, kFolder) == std::vector<Path>{Path(kFolder) / "1.removed"});
  remove_session(disk, Path(kFolder) / "1.removed");
  CHECK(disk.list(kFolder).empty());
}

TEST_CASE("what was sent is found again, and what is damaged is not") {
  MemoryFileSystem files;
  const ClusterSession session(files, kFolder, "1", "p");
  const Path work = session.attempts() / "1-000001";
  files.make_directories(work);
  const SentAttempt sent{"1-000001", digest_of("key"), "/partial", session.allocations() / "0001",
                         "0-5-7"};
  ClusterSession::note_sent(files, work, sent);
  files.make_directories(session.attempts() / "1-000002");  // was not sent
  files.put(session.attempts() / "1-000003" / "sent.json", "{\"key\": \"12\"}");
  files.put(session.attempts() / "1-000004" / "sent.json", "{\"ke");
  const std::vector<SentAttempt> found = ClusterSession::sent(files, session.folder());
  REQUIRE(found.size() == 1);
  CHECK(found[0].id == sent.id);
  CHECK(found[0].key == sent.key);
  CHECK(found[0].partial == sent.partial);
  CHECK(found[0].allocation == sent.allocation);
  CHECK(found[0].life == sent.life);
}

TEST_CASE("one attempt whose note is of another type does not hide the others") {
  MemoryFileSystem files;
  const ClusterSession session(files, kFolder, "1", "p");
  files.put(session.attempts() / "1-000001" / "sent.json", "{\"key\": 3}");
  files.make_directories(session.attempts() / "1-000002");
  ClusterSession::note_sent(files, session.attempts() / "1-000002",
                            {"1-000002", digest_of("key"), "/p", "/a", "0-5-7"});
  CHECK(ClusterSession::sent(files, session.folder()).size() == 1);
}

// Grants every lock, as some network file systems do.
class UselessLock final : public FileLock {};
class NoLocks final : public ForwardingFileSystem {
 public:
  using ForwardingFileSystem::ForwardingFileSystem;
  std::unique_ptr<FileLock> try_lock(const Path&, LockMode) override {
    return std::make_unique<UselessLock>();
  }
};

TEST_CASE("a file system whose locks do not exclude each other is refused, with what to do") {
  MemoryFileSystem disk;
  NoLocks files(disk);
  CHECK_THROWS_MATCHES(
      ClusterSession(files, kFolder, "1", "p"), Error,
      MessageMatches(ContainsSubstring("locks do not work in /outputs/.headway/cluster; ") &&
                     ContainsSubstring("NFS 4 mounted without `nolock`")));
  MemoryFileSystem good;
  good.make_directories(kFolder);
  CHECK_NOTHROW(check_locks(good, kFolder / "1.lock"));
}

TEST_CASE("a file system without locks is refused, with its own words and what to do") {
  MemoryFileSystem disk;
  FaultyFileSystem files(disk);
  files.make_directories(kFolder);
  files.break_path(kFolder / "1.lock");
  CHECK_THROWS_MATCHES(ClusterSession(files, kFolder, "1", "p"), Error,
                       MessageMatches(ContainsSubstring("1.lock: input/output error; ") &&
                                      ContainsSubstring("flock")));
}

std::string mount(const std::string& point, const std::string& type, const std::string& options) {
  return "36 35 98:0 / " + point + " rw,noatime master:1 - " + type + " server:/x " + options +
         "\n";
}

TEST_CASE("an NFS mount whose locks stay on this machine is named") {
  const std::string root = mount("/", "ext4", "rw");
  const auto problem = [&](const std::string& type, const std::string& options) {
    return lock_reach_problem(root + mount("/home", type, options), "/home/ada/outputs");
  };
  const std::string expected =
      "locks on /home work only within this machine (nfs without network locks): never run headway "
      "on these outputs from two machines at once";
  CHECK(problem("nfs", "rw,vers=3,nolock,addr=1.2.3.4") == expected);
  CHECK(problem("nfs", "rw,local_lock=all") == expected);
  CHECK(problem("nfs", "rw,local_lock=flock") == expected);
  CHECK_FALSE(problem("nfs4", "nolock").empty());
  CHECK(problem("nfs4", "rw,vers=4.2,local_lock=none") == "");
  CHECK(problem("nfs", "rw,local_lock=posix") == "");
  CHECK(problem("ext4", "rw,nolock") == "");
}

TEST_CASE("the mount nearest to a path counts, and the last of those on one point") {
  const std::string bad = mount("/home", "nfs", "nolock");
  const Path path = "/home/ada/outputs";
  CHECK_FALSE(lock_reach_problem(bad + mount("/", "ext4", "rw"), path).empty());
  CHECK(lock_reach_problem(bad + mount("/home/ada", "ext4", "rw"), path) == "");
  CHECK(lock_reach_problem(bad + mount("/home", "ext4", "rw"), path) == "");
  CHECK(lock_reach_problem(bad, "/homework") == "");
  CHECK_FALSE(lock_reach_problem(bad, "/home").empty());
}

TEST_CASE("a list of mounts that cannot be read is no problem") {
  for (const char* text : {"", "\n", "garbage", "a b c d /home f - nfs", " - nfs x nolock"})
    CHECK(lock_reach_problem(text, "/home/ada") == "");
}

}  // namespace
}  // namespace headway::testing
