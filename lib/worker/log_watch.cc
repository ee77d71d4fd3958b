#include "lib/worker/log_watch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace headway {
namespace {

// A hundred times what people can read in half a second, so that hardly any report is missed.
constexpr off_t kMostBytes = 64 << 10;

}  // namespace

LogWatch::LogWatch(const Path& log)
    : log_(::open(log.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)),
      read_(log_ ? std::max<off_t>(0, ::lseek(log_.get(), 0, SEEK_END)) : 0) {}

std::optional<CommandProgress> LogWatch::look() {
  struct stat info {};
  if (!log_ || ::fstat(log_.get(), &info) != 0 || info.st_size == read_) return std::nullopt;
  if (info.st_size < read_) read_ = 0;  // the command has emptied it
  const off_t begin = std::max(read_, info.st_size - kMostBytes);
  std::string bytes(static_cast<std::size_t>(info.st_size - begin), '\0');
  const ssize_t count = ::pread(log_.get(), bytes.data(), bytes.size(), begin);
  if (count <= 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(count));
  std::string_view news = bytes;
  if (begin > read_) {  // what is between was not read, so the first line may lack its beginning
    reader_.drop_line();
    const std::size_t end = news.find_first_of("\r\n");
    if (end != std::string_view::npos) news.remove_prefix(end);
  }
  read_ = begin + count;
  reader_.add(news);
  CommandProgress progress = reader_.latest();
  if (progress == last_) return std::nullopt;
  last_ = progress;
  return progress;
}

}  // namespace headway
