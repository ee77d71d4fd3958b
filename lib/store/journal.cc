#include "lib/store/journal.h"

namespace headway {

std::vector<std::string> Journal::read() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines;
  const std::string text = files_.read(path_).value_or("");
  torn_ = !text.empty() && text.back() != '\n';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) break;
    if (end > at) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

void Journal::append(std::string_view line) {
  const std::lock_guard lock(mutex_);
  std::string bytes = torn_ ? "\n" : "";
  bytes += line;
  bytes += '\n';
  torn_ = true;  // until it is written: a full disk may take only a part of it
  files_.append(path_, bytes);
  torn_ = false;
}

void Journal::rewrite(const std::vector<std::string>& lines) {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  files_.replace(path_, text);
  torn_ = false;
}

}  // namespace headway
