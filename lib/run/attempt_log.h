// The log of a key, which keeps what earlier attempts printed: a retry must not hide why the first
// attempt failed.
#pragma once

#include <string>

#include "lib/base/file_system.h"

namespace headway {

// Gives the next attempt a new file, since a process that outlived an earlier attempt may still
// write to the old one. The new file begins with the last MiB of the old one and a line with the
// title, "--- attempt 2 of 3, 14:02:11 ---". If nothing was printed before, there is no file.
// Returns the size of what is kept: the attempt's own output begins there. A log that cannot be
// kept is lost, which is no failure; throws Error if it cannot be removed either. The caller must
// hold the key's lock.
std::uint64_t continue_log(FileSystem& files, const Path& log, const std::string& title);

// Where the output of the last attempt begins, of which only the log is known: behind its title.
// 0 if it has none, or only far before the end.
std::uint64_t begin_of_last_attempt(FileSystem& files, const Path& log);
// The titles of attempts begin with one of these.
inline constexpr const char* kTitleOfRun = "run again, ";
inline constexpr const char* kTitleOfRetry = "attempt ";

// What continue_log() keeps of a log of `size` bytes; `end` is its last kMostKeptOfLog bytes.
inline constexpr std::size_t kMostKeptOfLog = 1 << 20;
std::string kept_of_log(std::string end, std::uint64_t size);

// What an attempt printed, at most the last `most` bytes; `begin` is from one of the
// above.
std::string end_of_attempt(FileSystem& files, const Path& log, std::uint64_t begin,
                           std::size_t most);

}  // namespace headway
