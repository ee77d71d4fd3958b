// The error type of the program: a message for a person, which gathers context on its way up. Code
// that cannot go on throws it; it is caught where a stage is attempted, in main, and wherever the
// program can do without what failed. Asserts are for our own bugs, never for input.
#pragma once

#include <stdexcept>
#include <string>

namespace headway {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

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
