// The error type of the program: a message for a person, which gathers context on its way up. Code
// that cannot go on throws it. It is caught where a stage is attempted, in main, where the program
// can do without what failed, and where it gets context or becomes one of several mistakes to
// report. Asserts are for our own bugs, never for input.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace headway {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  // Formats the message: Error("{} has no column '{}'", file, name).
  template <class First, class... Rest>
  explicit Error(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest)
      : runtime_error(
            fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...)) {}

  // The same error with what was being done: "saving x: no space left on device".
  Error within(const std::string& context) const { return Error(context + ": " + what()); }
};

// The user asked for something impossible. The program exits with code 2 and has done nothing.
class UsageError : public Error {
 public:
  using Error::Error;
};

// Thrown to unwind a computation that was asked to stop. Not an Error: nothing went wrong.
struct Cancelled {};

// The text of an errno value, in lower case: "no space left on device".
std::string describe_errno(int error_number);

// Any exception as a message for a person; those of libraries are worded for programmers.
std::string describe_exception(const std::exception& exception);

}  // namespace headway
