#include "lib/run/attempt_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"

namespace headway {
namespace {

constexpr std::size_t kMostSearched = 64 << 10;  // bytes; more than is ever shown of a log

bool is_title(std::string_view line) {
  if (!line.starts_with("--- ") || !line.ends_with(" ---")) return false;
  line.remove_prefix(4);
  return line.starts_with(kTitleOfRun) || line.starts_with(kTitleOfRetry);
}

}  // namespace

std::string kept_of_log(std::string end, std::uint64_t size) {
  if (size > kMostKeptOfLog)
    end = "--- earlier output is left out ---\n" + end.substr(end.find('\n') + 1);
  if (!end.empty() && !end.ends_with('\n')) end += '\n';
  return end;
}

std::uint64_t continue_log(FileSystem& files, const Path& log, const std::string& title) {
  const std::optional<FileInfo> info = files.info(log);
  if (!info) return 0;
  if (info->is_file() && info->size > 0) {
    try {
      const std::string text = fmt::format(
          "{}--- {} ---\n", kept_of_log(files.read_end(log, kMostKeptOfLog), info->size), title);
      files.replace(log, text);
      return text.size();
    } catch (const Error&) {
      // On a full disk, say. The attempt is worth more than the log of the one before.
    }
  }
  files.remove(log);
  return 0;
}

std::uint64_t begin_of_last_attempt(FileSystem& files, const Path& log) {
  const std::optional<FileInfo> info = files.info(log);
  if (!info || !info->is_file()) return 0;
  const std::string end = files.read_end(log, std::min<std::uint64_t>(kMostSearched, info->size));
  const std::uint64_t before = info->size - end.size();
  std::uint64_t begin = 0;
  for (std::size_t at = 0, stop; (stop = end.find('\n', at)) != end.npos; at = stop + 1) {
    if (is_title(std::string_view(end).substr(at, stop - at))) begin = before + stop + 1;
  }
  return begin;
}

std::string end_of_attempt(FileSystem& files, const Path& log, std::uint64_t begin,
                           std::size_t most) {
  const std::optional<FileInfo> info = files.info(log);
  if (!info || info->size <= begin) return "";
  return files.read_end(log, std::min<std::uint64_t>(most, info->size - begin));
}

}  // namespace headway
