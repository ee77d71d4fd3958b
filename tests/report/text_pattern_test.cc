#include "lib/report/text_pattern.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"

namespace headway {
namespace {

using Parts = std::vector<std::string>;

std::string pattern_error(const std::string& pattern) {
  try {
    TextPattern{pattern};
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("a text pattern splits a line", "[report]") {
  const TextPattern sums("{problem}={sum}, predicted {answer}");
  CHECK(sums.names() == Parts{"problem", "sum", "answer"});
  CHECK(sums.match("12+9=021, predicted 011") == Parts{"12+9", "021", "011"});
  CHECK(sums.match("=, predicted ") == Parts{"", "", ""});
  CHECK_FALSE(sums.match("12+9=021"));
  CHECK_FALSE(sums.match(""));
}

TEST_CASE("a text pattern matches the whole text", "[report]") {
  const TextPattern bracketed("[{item}]");
  CHECK(bracketed.match("[a]") == Parts{"a"});
  CHECK(bracketed.match("[a]]") == Parts{"a]"});
  CHECK_FALSE(bracketed.match("a]"));
  CHECK_FALSE(bracketed.match("[a"));
  CHECK_FALSE(bracketed.match("["));
  CHECK(TextPattern("{all}").match("a=b") == Parts{"a=b"});
}

TEST_CASE("patterns that cannot split a text are refused", "[report]") {
  CHECK(pattern_error("{a") == "the pattern '{a' opens a brace and does not close it");
  CHECK(pattern_error("{ }") == "the pattern '{ }' has braces without a name");
  CHECK(pattern_error("{a},{a}") == "the pattern '{a},{a}' has the name 'a' twice");
  CHECK(pattern_error("{a}{b}") == "the pattern '{a}{b}' has nothing between 'a' and 'b'");
  CHECK(pattern_error("plain") == "the pattern 'plain' has no name in braces");
}

}  // namespace
}  // namespace headway
