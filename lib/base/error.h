// The one error type of the program: a message for a person that gathers context on its way up.
// Caught in two places only: around a stage, and in main. Asserts are for our own bugs, never for
// input.
#pragma once

#include <stdexcept>
#include <string>

namespace headway {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  // The same error, told with what was being done: "while saving x: no space left on device".
  Error within(const std::string& context) const { return Error(context + ": " + what()); }
};

// The user asked for something that cannot be: exit code 2, nothing was done.
class UsageError : public Error {
 public:
  using Error::Error;
};

// Thrown to unwind a computation that was asked to stop. Not an Error: nobody did anything wrong.
struct Cancelled {};

// "no space left on device" for an errno value.
std::string describe_errno(int error_number);

// Any exception as a sentence for a person: those of libraries have texts for programmers.
std::string describe_exception(const std::exception& exception);

}  // namespace headway
