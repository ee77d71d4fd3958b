// What agents write: records of attempts, states, greetings and messages. A text is a whole one or
// nothing, and never an exception.
#include "lib/base/json_fields.h"
#include "lib/cluster/allocation_files.h"
#include "lib/cluster/attempt_end.h"
#include "lib/cluster/mailbox.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/memory_file_system.h"

using namespace headway;

FUZZ_TARGET(agent) {
  const std::string text(input);
  if (const auto end = AttemptEnd::parse(text)) {
    const std::string line = to_line(end->to_json());
    const auto again = AttemptEnd::parse(line);
    fuzz::require(again && to_line(again->to_json()) == line,
                  "a record is the same when it is read again", text);
  }
  if (const auto state = AgentState::parse(text)) {
    const std::string line = to_line(state->to_json());
    const auto again = AgentState::parse(line);
    fuzz::require(again && to_line(again->to_json()) == line,
                  "a state is the same when it is read again", text);
  }
  testing::MemoryFileSystem files;
  files.put("/agent/file", input);
  const auto check = [&](const auto& read) {
    if (!read) return;
    files.put("/agent/file", to_line(to_json_fields(*read)));
    using Struct = std::decay_t<decltype(*read)>;
    const auto again = read_struct<Struct>(files, "/agent/file");
    fuzz::require(again && to_line(to_json_fields(*again)) == to_line(to_json_fields(*read)),
                  "a file is the same when it is read again", text);
  };
  check(read_struct<AgentRequest>(files, "/agent/file"));
  files.put("/agent/file", input);
  check(read_struct<AgentHello>(files, "/agent/file"));
  files.put("/agent/mail/1", input);
  for (const Json& message : MailReader(files, "/agent/mail").receive())
    fuzz::require(message.is_object(), "a message is an object", text);
}
