#include "lib/cli/log_follower.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "lib/base/error.h"
#include "lib/run/attempt_log.h"

namespace headway {
namespace {

std::string read_at(int file, std::uint64_t offset, std::uint64_t most) {
  std::string text;
  std::array<char, 1 << 16> buffer;
  while (text.size() < most) {
    const std::size_t wanted = std::min<std::uint64_t>(buffer.size(), most - text.size());
    const ssize_t count =
        ::pread(file, buffer.data(), wanted, static_cast<off_t>(offset + text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

bool is_same_file(int a, int b) {
  struct stat of_a {
  }, of_b{};
  return ::fstat(a, &of_a) == 0 && ::fstat(b, &of_b) == 0 && of_a.st_ino == of_b.st_ino;
}

}  // namespace

std::string LogFollower::take() {
  std::string text = read_rest();
  Descriptor now(::open(log_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!now && errno != ENOENT)
    throw Error("cannot read {}: {}", display_path(log_), describe_errno(errno));
  if (!now || is_same_file(now.get(), file_.get())) return text;
  text += read_rest();  // the last lines before the next attempt
  const std::string kept = kept_by_next();
  const bool goes_on = !kept.empty() && read_at(now.get(), 0, kept.size()) == kept;
  // What is kept ends with a line end, even if the attempt did not.
  if (goes_on && read_at(file_.get(), offset_ - 1, 1) != "\n") text += '\n';
  file_ = std::move(now);
  offset_ = goes_on ? kept.size() : 0;
  return text + read_rest();
}

std::string LogFollower::read_rest() {
  if (!file_) return "";
  std::string text = read_at(file_.get(), offset_, ~std::uint64_t{0});
  offset_ += text.size();
  return text;
}

std::string LogFollower::kept_by_next() const {
  if (!file_) return "";
  const std::uint64_t from = offset_ - std::min<std::uint64_t>(offset_, kMostKeptOfLog);
  return kept_of_log(read_at(file_.get(), from, offset_ - from), offset_);
}

}  // namespace headway
