// Messages through a folder: order, removal, and what is not a message.
#include "lib/cluster/mailbox.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/faulty_file_system.h"
#include "tests/support/memory_file_system.h"

namespace headway::testing {
namespace {

const Path kMail = "/mail";
const Json kOne = {{"number", 1}};
const Json kTwo = {{"number", 2}};
using Messages = std::vector<Json>;

TEST_CASE("messages come in the order in which they were sent, once") {
  MemoryFileSystem files;
  MailReader reader(files, kMail);
  MailWriter writer(files, kMail);
  for (int i = 0; i < 12; ++i) {
    if (i % 5 == 0) files.advance(1);  // others are sent at the same moment
    writer.send({{"number", i}});
  }
  const std::vector<Json> messages = reader.receive();
  REQUIRE(messages.size() == 12);
  for (int i = 0; i < 12; ++i) CHECK(messages[static_cast<std::size_t>(i)]["number"] == i);
  CHECK(reader.receive().empty());
  CHECK(files.list(kMail).empty());
}

TEST_CASE("two writers in one folder lose nothing") {
  MemoryFileSystem files;
  MailReader reader(files, kMail);
  MailWriter one(files, kMail);
  one.send(kOne);
  files.advance(1);
  MailWriter two(files, kMail);  // after a take-over
  two.send(kTwo);
  CHECK(reader.receive() == Messages{kOne, kTwo});
}

TEST_CASE("a message that is being written is left alone") {
  MemoryFileSystem files;
  MailReader reader(files, kMail);
  {
    FaultyFileSystem dying(files);
    dying.crash_at(1, false);  // written, and not renamed
    try {
      MailWriter(dying, kMail).send({{"stop", true}});
    } catch (const Error&) {
    }
  }
  const std::vector<std::string> names = files.list(kMail);
  REQUIRE(names.size() == 1);
  REQUIRE(is_temporary_name(names[0]));
  CHECK(reader.receive().empty());
  CHECK(files.list(kMail) == names);
}

TEST_CASE("what is not a message is removed, and the others arrive") {
  MemoryFileSystem files;
  MailReader reader(files, kMail);
  for (const char* garbage : {"", "{\"stop\": tr", "[1, 2]", "3", "null", "\xff\xfe"}) {
    CAPTURE(garbage);
    files.put(kMail / "000-garbage", garbage);
    MailWriter(files, kMail).send(kOne);
    CHECK(reader.receive() == Messages{kOne});
    CHECK(files.list(kMail).empty());
  }
  files.put(kMail / "000-deep", std::string(100'000, '['));
  CHECK(reader.receive().empty());
}

TEST_CASE("a message that cannot be read or removed yet comes later, and only once") {
  MemoryFileSystem disk;
  FaultyFileSystem files(disk);
  MailReader reader(files, kMail);
  MailWriter(disk, kMail).send(kOne);
  for (const std::size_t operation : {1u, 2u}) {  // after the list: its read, its removal
    files.heal();
    files.break_at(operation, false);
    CHECK(reader.receive().empty());
    REQUIRE(files.has_failed());
  }
  files.heal();
  CHECK(reader.receive() == Messages{kOne});
  CHECK(reader.receive().empty());
}

}  // namespace
}  // namespace headway::testing
