#include "lib/worker/terminal_line.h"

#include <catch2/catch_test_macros.hpp>

namespace headway::testing {
namespace {

TEST_CASE("escape sequences are removed from a line, complete or not") {
  CHECK(terminal_line("\x1b[1;31mred\x1b[0m text") == "red text");
  CHECK(terminal_line("\x1b[2K\x1b[?25lbar\x1b[1A") == "bar");
  CHECK(terminal_line("\x1b]0;a title\x07here") == "here");
  CHECK(terminal_line("\x1b]8;;https://x.org\x1b\\link\x1b]8;;\x1b\\") == "link");
  CHECK(terminal_line("\x1b(Bplain\x1b"
                      "7") == "plain");
  for (const char* incomplete : {"ab\x1b", "ab\x1b[", "ab\x1b[31", "ab\x1b]0;ti", "ab\x1b]0;t\x1b"})
    CHECK(terminal_line(incomplete) == "ab");
  CHECK(terminal_line("\x1b[2K").empty());
}

TEST_CASE("control characters are removed, and a backspace removes what it overwrites") {
  CHECK(terminal_line("a\x07\x01z\x7f") == "az");
  CHECK(terminal_line("a\tb") == "a b");
  CHECK(terminal_line("tables:  9/16\b\b\b\b\b10/16") == "tables: 10/16");
  CHECK(terminal_line("\b\bä\bo") == "o");
  CHECK(terminal_line("  \t padded \t ") == "padded");
  CHECK(terminal_line(std::string_view("nul\0l", 5)) == "null");
}

TEST_CASE("a character that is not complete yet is left out, and other bad bytes are replaced") {
  CHECK(terminal_line("caf\xC3") == "caf");
  CHECK(terminal_line("caf\xC3\xA9") == "café");
  CHECK(terminal_line("bar \xE2\x96") == "bar");
  CHECK(terminal_line("bar \xE2\x96\x88") == "bar █");
  CHECK(terminal_line("\xF0\x9F\x98") == "");
  CHECK(terminal_line("a\xFF"
                      "b\xC3z") == "a\uFFFDb\uFFFDz");
  CHECK(terminal_line("\x80\x80\x80\x80") == "\uFFFD\uFFFD\uFFFD\uFFFD");
}

}  // namespace
}  // namespace headway::testing
