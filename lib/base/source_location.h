// Places in files and on the command line, and mistakes found there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/error.h"

namespace headway {

struct SourceLocation {
  // A file's name as the user typed it, or "--set a=b". Interned, never freed.
  const std::string* source = nullptr;
  int line = 0;  // from 1; 0: the source as a whole
  int column = 0;

  // A pointer that stays valid; equal texts give equal pointers. Thread-safe.
  static const std::string* intern(std::string_view source);
  std::string text() const;  // "pipelines/addition.yaml:14:9"
};

// Gathers all mistakes of a pipeline, so that a person can fix them in one go.
class Diagnostics {
 public:
  void add(const SourceLocation& location, std::string message);
  // Formats the message.
  template <class First, class... Rest>
  void add(const SourceLocation& location, fmt::format_string<First, Rest...> format, First&& first,
           Rest&&... rest) {
    add(location, fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...));
  }
  bool empty() const { return found_.empty(); }
  std::size_t count() const { return found_.size(); }
  // Lines of "file:line:column: message", in the order of the file, without repetitions, and at
  // most 100. Has no control characters, whatever the messages quote.
  std::string text() const;
  // Throws PipelineError with text(), unless empty().
  void throw_if_any() const;

 private:
  struct Diagnostic {
    SourceLocation location;
    std::string message;
  };
  std::vector<Diagnostic> found_;
};

// Mistakes in a pipeline: what() has one a line, each with its place.
class PipelineError : public UsageError {
 public:
  using UsageError::UsageError;
};

}  // namespace headway
