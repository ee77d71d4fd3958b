// What a command's output says about its progress. Knows nothing of files and processes.
//
// A command may report its progress itself, in lines of its own on stdout or stderr:
//
//   headway: progress 0.42 some words
//   headway: progress 42% some words
//
// The number is how much is done, 0 to 1 or 0% to 100%; the words may be missing. Such a line
// counts once it has ended, and from the first one on, only such lines count. Without them, the
// last line that is not empty, complete or not, is the words. If it has a percentage (" 42%", as
// wget, rsync, pv and tqdm print it), that is the fraction.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/stage/stage_status.h"

namespace headway {

struct CommandProgress {
  double fraction = kUnknownFraction;
  std::string words = {};  // printable, at most 200 columns

  bool operator==(const CommandProgress&) const = default;
};

class ProgressReader {
 public:
  // The next bytes of the output. A line ends at '\n' or '\r': programs that draw a bar rewrite
  // their line. Only the first 4 KiB of a line count.
  void add(std::string_view bytes);
  // What follows the last add() was not read: the line that it began is dropped.
  void drop_line() { line_.clear(); }

  CommandProgress latest() const;

 private:
  void end_line();

  std::string line_;  // the bytes of a line that has not ended
  std::string last_;  // the text of the last line that has, and was not empty
  std::optional<CommandProgress> stated_;
};

}  // namespace headway
