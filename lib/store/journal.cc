#include "lib/store/journal.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <array>
#include <optional>

#include "lib/base/error.h"

namespace headway {
namespace {

// Every line ends with a tab and a checksum in hex. Not a cryptographic one: it guards against
// disks and power cuts, and thousands of lines are checked at every start.
constexpr std::size_t kChecksumDigits = 16;

std::array<char, kChecksumDigits> checksum(std::string_view line) {
  std::array<char, kChecksumDigits> digits;
  std::uint64_t sum = XXH3_64bits(line.data(), line.size());
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, sum >>= 4)
    *digit = "0123456789abcdef"[sum & 15];
  return digits;
}

std::string with_checksums(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    const std::array<char, kChecksumDigits> digits = checksum(line);
    text.append(line).append("\t").append(digits.data(), digits.size()).append("\n");
  }
  return text;
}

// The line without its checksum; nothing if the checksum is wrong.
std::optional<std::string_view> checked(std::string_view line) {
  if (line.size() <= kChecksumDigits) return std::nullopt;
  const std::string_view contents = line.substr(0, line.size() - kChecksumDigits - 1);
  const std::array<char, kChecksumDigits> digits = checksum(contents);
  if (line[contents.size()] != '\t' ||
      line.substr(contents.size() + 1) != std::string_view(digits.data(), digits.size()))
    return std::nullopt;
  return contents;
}

}  // namespace

std::vector<std::string> Journal::read() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines;
  dropped_ = 0;
  unreadable_.clear();
  std::string text;
  try {
    text = files_.read(path_).value_or("");
  } catch (const Error& error) {  // what a journal holds can be found out again
    unreadable_ = error.what();
  }
  torn_ = !unreadable_.empty() || (!text.empty() && text.back() != '\n');
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) {
      if (const auto line = checked(std::string_view(text).substr(at, end - at)))
        lines.emplace_back(*line);
      else
        ++dropped_;
    }
    at = end + 1;
  }
  return lines;
}

std::string Journal::damage() const {
  if (!unreadable_.empty()) return unreadable_;
  if (dropped_ == 0) return "";
  return fmt::format("{}: {} damaged and ignored", path_.string(),
                     dropped_ == 1 ? "a line is" : fmt::format("{} lines are", dropped_));
}

void Journal::append(const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  const std::lock_guard lock(mutex_);
  const bool close_line = torn_;
  torn_ = true;  // until it is written: a full disk may take part of it
  files_.append(path_, (close_line ? "\n" : "") + with_checksums(lines));
  torn_ = false;
}

void Journal::rewrite(const std::vector<std::string>& lines) {
  const std::lock_guard lock(mutex_);
  files_.replace(path_, with_checksums(lines));
  torn_ = false;
}

}  // namespace headway
