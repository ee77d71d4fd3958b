#include "lib/cluster/mailbox.h"

#include <fmt/format.h>
#include <unistd.h>

#include "lib/base/error.h"

namespace headway {

void MailWriter::send(const Json& message) {
  // Names sort by time, and no two writers use the same one: after a take-over there is a new one.
  const std::string name = fmt::format("{:020}-{}-{:06}", files_.now_ns(), ::getpid(), ++count_);
  files_.replace(folder_ / name, to_line(message) + "\n");
}

MailReader::MailReader(FileSystem& files, Path folder) : files_(files), folder_(std::move(folder)) {
  files_.make_directories(folder_);
}

std::vector<Json> MailReader::receive() {
  std::vector<Json> messages;
  for (const std::string& name : files_.list(folder_)) {
    if (is_temporary_name(name)) continue;
    try {
      const std::optional<std::string> text = files_.read(folder_ / name);
      if (!text) continue;
      std::optional<Json> message = parse_json(*text);
      files_.remove(folder_ / name);
      if (message && message->is_object()) messages.push_back(std::move(*message));
    } catch (const Error&) {  // a stale handle, say; it is there the next time
    }
  }
  return messages;
}

}  // namespace headway
