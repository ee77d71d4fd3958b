#include "lib/base/source_location.h"

#include <catch2/catch_test_macros.hpp>

namespace headway {
namespace {

const std::string* file() {
  return SourceLocation::intern("a.yaml");
}

TEST_CASE("a mistake is one line without control characters, whatever it quotes") {
  Diagnostics diagnostics;
  diagnostics.add({SourceLocation::intern("\x1b[31mp.yaml"), 1, 2},
                  "no such file: \x1b]0;title\x07\na");
  CHECK(diagnostics.text() == "\uFFFD[31mp.yaml:1:2: no such file: \uFFFD]0;title\uFFFD\\na");
}

TEST_CASE("a location is written as file, line and column", "[base]") {
  CHECK(SourceLocation{file(), 14, 9}.text() == "a.yaml:14:9");
  CHECK(SourceLocation{file()}.text() == "a.yaml");
  CHECK(SourceLocation().text() == "pipeline");
}

TEST_CASE("the same source is stored once", "[base]") {
  CHECK(SourceLocation::intern("a.yaml") == file());
  CHECK(SourceLocation::intern("b.yaml") != file());
}

TEST_CASE("mistakes are reported in file order, not in the order they were found", "[base]") {
  Diagnostics diagnostics;
  diagnostics.add({file(), 10, 1}, "ten");
  diagnostics.add({file(), 2, 9}, "two, nine");
  diagnostics.add({file(), 2, 3}, "two, three");
  diagnostics.add({file()}, "whole");
  CHECK(diagnostics.text() ==
        "a.yaml: whole\n"
        "a.yaml:2:3: two, three\n"
        "a.yaml:2:9: two, nine\n"
        "a.yaml:10:1: ten");
}

TEST_CASE("mistakes at the same location keep the order they were found in", "[base]") {
  Diagnostics diagnostics;
  diagnostics.add({file(), 1, 1}, "b");
  diagnostics.add({file(), 1, 1}, "a");
  CHECK(diagnostics.text() == "a.yaml:1:1: b\na.yaml:1:1: a");
}

TEST_CASE("the same mistake is reported once", "[base]") {
  Diagnostics diagnostics;
  for (int i = 0; i < 50; ++i) diagnostics.add({file(), 1, 1}, "again");
  CHECK(diagnostics.count() == 50);
  CHECK(diagnostics.text() == "a.yaml:1:1: again");
}

TEST_CASE("only the first hundred mistakes are listed, and the rest are counted", "[base]") {
  Diagnostics diagnostics;
  for (int i = 1; i <= 250; ++i) diagnostics.add({file(), i, 1}, "wrong");
  const std::string text = diagnostics.text();
  CHECK(text.ends_with("a.yaml:100:1: wrong\n… and 150 more mistakes"));
}

TEST_CASE("collected mistakes are thrown as one error, and nothing is thrown without mistakes",
          "[base]") {
  Diagnostics diagnostics;
  CHECK(diagnostics.empty());
  CHECK_NOTHROW(diagnostics.throw_if_any());
  diagnostics.add({file(), 1, 2}, "wrong");
  try {
    diagnostics.throw_if_any();
    FAIL("nothing was thrown");
  } catch (const UsageError& error) {
    CHECK(std::string(error.what()) == "a.yaml:1:2: wrong");
  }
}

TEST_CASE("messages of errors and mistakes are formatted only if they have arguments", "[base]") {
  CHECK(std::string(UsageError("{} is {}", "x", 3).what()) == "x is 3");
  CHECK(std::string(Error("a {brace} alone").what()) == "a {brace} alone");
  Diagnostics diagnostics;
  diagnostics.add({}, "{} of {}", 1, 2);
  diagnostics.add({}, "{} stays");
  CHECK(diagnostics.text() == "pipeline: 1 of 2\npipeline: {} stays");
}

TEST_CASE("an error gathers context on its way up", "[base]") {
  const Error error = Error("no space left on device").within("saving x").within("stage 'train'");
  CHECK(std::string(error.what()) == "stage 'train': saving x: no space left on device");
}

TEST_CASE("a system error is described in lower case", "[base]") {
  CHECK(describe_errno(ENOENT) == "no such file or directory");
}

}  // namespace
}  // namespace headway
