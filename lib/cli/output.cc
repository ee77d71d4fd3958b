#include "lib/cli/output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/observers/observers.h"

namespace headway {
namespace {

// Whether standard output is a pipe or socket that nobody reads any more.
bool reader_is_gone() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

}  // namespace

void print_exactly(std::string_view bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);  // finish_output() checks
}

void print_for_people(std::string_view text) {
  print_exactly(printable_lines(text));
}

void print_as_complaint(std::string_view text) {
  const std::string clean = printable_lines(text);
  std::fwrite(clean.data(), 1, clean.size(), stderr);  // if that fails, there is nobody to tell
}

PrintedWidth printed_width() {
  if (::isatty(STDOUT_FILENO) == 0) return {};
  return {terminal_width(stdout), true};
}

int finish_output(int exit_code) {
  errno = 0;
  const bool is_flushed = std::fflush(stdout) == 0;
  const std::string reason = errno != 0 ? ": " + describe_errno(errno) : "";
  if ((is_flushed && !std::ferror(stdout)) || reader_is_gone()) return exit_code;
  complain("headway: standard output could not be written as a whole{}\n", reason);
  return exit_code == 0 ? 1 : exit_code;
}

}  // namespace headway
