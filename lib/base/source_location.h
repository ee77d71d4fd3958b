// Where in a file (or on the command line) something was said; and mistakes found there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/error.h"

namespace headway {

struct SourceLocation {
  const std::string* source =
      nullptr;   // a file's name as the user typed it, or "--set a=b"; interned, never freed
  int line = 0;  // from 1; 0: the source as a whole
  int column = 0;

  static const std::string* intern(std::string_view source);
  std::string text() const;  // "pipelines/addition.yaml:14:9"
};

struct Diagnostic {
  SourceLocation location;
  std::string message;
};

// All mistakes of a pipeline, gathered, so that a person can mend them in one go.
class Diagnostics {
 public:
  void add(const SourceLocation& location, std::string message);
  bool empty() const { return found_.empty(); }
  std::size_t count() const { return found_.size(); }
  // One "file:line:col: message" a line, in the order of the file; the same mistake once. Safe for
  // a terminal, whatever names are in the messages.
  std::string text() const;
  void throw_if_any() const;

 private:
  std::vector<Diagnostic> found_;
};

// Thrown by Diagnostics: what() is its text, already located, one mistake a line.
class PipelineError : public UsageError {
 public:
  using UsageError::UsageError;
};

}  // namespace headway
