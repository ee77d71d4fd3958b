// Malicious or damaged YAML: each is a clear, located mistake, found in bounded time and memory.
#include <sys/resource.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"

namespace headway::testing {
namespace {

std::string repeat(const std::string& text, int times) {
  std::string result;
  result.reserve(text.size() * static_cast<std::size_t>(times));
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

// The mistakes, found in less than five seconds (loosely: a sanitizer is many times slower).
TEST_CASE("an alias bomb is refused where it expands", "[spec][hostile]") {
  std::string text = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'm'; ++c) {
    const std::string before(1, static_cast<char>(c - 1));
    text += std::string(1, c) + ": &" + c + " [" + repeat("*" + before + ", ", 9) + "*" + before +
            "]\n";
  }
  const std::string messages = quickly(text);
  CHECK(messages.starts_with("p.yaml:6:"));
  CHECK(messages.ends_with(": too large: more than 1000000 values once aliases are expanded"));
}

TEST_CASE("one large anchor repeated often is refused", "[spec][hostile]") {
  CHECK(quickly("a: &a [" + repeat("1, ", 5000) + "]\nb: [" + repeat("*a, ", 300) + "]\n") ==
        "p.yaml:2:793: too large: more than 1000000 values once aliases are expanded");
}

TEST_CASE("a merge bomb is refused", "[spec][hostile]") {
  std::string text = "m0: &m0 {x: 1}\n";
  for (int i = 1; i < 30; ++i) {
    const std::string base = "{<<: *m" + std::to_string(i - 1) + "}";
    text += "m" + std::to_string(i) + ": &m" + std::to_string(i) + " {a: " + base + ", b: " + base +
            "}\n";
  }
  CHECK(quickly(text).ends_with(": too large: more than 1000000 values once aliases are expanded"));
}

TEST_CASE("a huge file is refused without being read", "[spec][hostile]") {
  TemporaryFolder folder;
  folder.write("p.yaml", "");
  REQUIRE(::truncate((folder / "p.yaml").c_str(), 100'000'000'000) == 0);  // sparse: takes no space
  CHECK(mistakes_in(folder, "p.yaml") == "p.yaml: the file is 100.0 GB; at most 8.4 MB are read");
}

TEST_CASE("a huge included file is refused without being read", "[spec][hostile]") {
  TemporaryFolder folder;
  folder.write("p.yaml", and_a_stage("include: big.yaml"));
  folder.write("big.yaml", "");
  REQUIRE(::truncate((folder / "big.yaml").c_str(), 100'000'000) == 0);
  CHECK(mistakes_in(folder, "p.yaml") == "big.yaml: the file is 100.0 MB; at most 8.4 MB are read");
}

TEST_CASE("deep nesting is refused", "[spec][hostile]") {
  CHECK(quickly("a: " + repeat("[", 10'000) + repeat("]", 10'000)) ==
        "p.yaml:1:67: nested too deeply: more than 64 levels");
  CHECK(quickly(repeat("- ", 100'000) + "x") ==
        "p.yaml:1:129: nested too deeply: more than 64 levels");
  std::string block;
  for (int i = 0; i < 2000; ++i) block += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  CHECK(quickly(block) == "p.yaml:65:65: nested too deeply: more than 64 levels");
}

TEST_CASE("nesting that never closes is refused", "[spec][hostile]") {
  for (const char* opening : {"[", "{", "{a: ", "[? ", "? "}) {
    CAPTURE(opening);
    CHECK(quickly(repeat(opening, 100'000)).starts_with("p.yaml:1:"));
  }
}

TEST_CASE("nesting up to the limit is read", "[spec][hostile]") {
  CHECK(params_mistakes("params: {a: " + repeat("[", 61) + repeat("]", 61) + "}") == "");
  CHECK(params_mistakes("params: {a: " + repeat("[", 63) + repeat("]", 63) + "}") ==
        "p.yaml:1:75: nested too deeply: more than 64 levels");
}

TEST_CASE("bytes that are not text are refused with their line", "[spec][hostile]") {
  CHECK(mistakes("name: x\nstages:\n  a: \xff\xfe\n") == "p.yaml:3:1: not UTF-8 text");
  CHECK(mistakes(std::string("name: x\nst\0ages: 1\n", 19)) ==
        "p.yaml:2:3: a NUL byte: this is not a text file");
  CHECK(mistakes(std::string("\xff\xfes\0t\0", 6)) ==
        "p.yaml:1:4: a NUL byte: this is not a text file");  // UTF-16
  CHECK(mistakes("a: \xc3") == "p.yaml:1:1: not UTF-8 text");
  CHECK(mistakes("a: \xed\xa0\x80") == "p.yaml:1:1: not UTF-8 text");
}

TEST_CASE("a byte order mark and Windows line endings are no mistake", "[spec][hostile]") {
  CHECK(mistakes("\xef\xbb\xbf" + and_a_stage("params: {a: 1}")) == "");
  CHECK(params_of("params:\r\n  a: x\r\n  b: |\r\n    line\r\n") ==
        Json({{"a", "x"}, {"b", "line\n"}}));
  CHECK(mistakes("params:\r\n  a: 1\r\n  a: 2\r\n")
            .starts_with("p.yaml:3:3: duplicate key 'a', first on line 2"));
}

TEST_CASE("tabs as indentation are refused", "[spec][hostile]") {
  const std::string tab = "not valid YAML: a tab in the indentation; use spaces";
  CHECK(mistakes("stages:\n\ta:\n\t\tuses: shell\n") == "p.yaml:2:1: " + tab);
  CHECK(mistakes("stages:\n  a:\n    uses: shell\n  \tneeds: []\n") == "p.yaml:4:3: " + tab);
}

TEST_CASE("an anchor inside itself is refused", "[spec][hostile]") {
  CHECK(mistakes("a: &a [*a]\n") == "p.yaml:1:8: an alias cannot stand inside its own anchor");
  CHECK(mistakes("a: &a {b: {c: *a}}\n") ==
        "p.yaml:1:15: an alias cannot stand inside its own anchor");
  CHECK(mistakes("a: &a {<<: *a}\n") == "p.yaml:1:12: an alias cannot stand inside its own anchor");
}

TEST_CASE("a key that is an alias or empty is refused", "[spec][hostile]") {
  CHECK(mistakes("a: &a x\n*a : 2\n").ends_with(": a key must be text"));
  CHECK(mistakes("~: 2\n") == "p.yaml:1:1: a key must be text");
}

TEST_CASE("very long lines are read, or refused, quickly", "[spec][hostile]") {
  CHECK(quickly(and_a_stage("params: {a: " + std::string(1'000'000, 'x') + "}")) == "");
  CHECK(quickly(and_a_stage("params: {a: '" + repeat("x ", 500'000) + "'}")) == "");
  CHECK(quickly(std::string(1'000'000, 'x') + ": 1\n") ==
        "p.yaml:1:1000001: not valid YAML: illegal map value");
}

TEST_CASE("very many small values are read, or refused, quickly", "[spec][hostile]") {
  CHECK(quickly(and_a_stage("params: {a: [\n" + repeat("1,\n", 50'000) + "]}")) == "");
  CHECK(quickly("params: {a: [\n" + repeat("1,\n", 1'000'001) + "]}")
            .ends_with(": too large: more than 1000000 values once aliases are expanded"));
}

TEST_CASE("long repetitions of special characters are refused quickly", "[spec][hostile]") {
  for (const char* sign :
       {":",    ": ",   "-",  ",", "*",  "&",  "!",  "%",     "\"",    "'",  "|",
        ">",    "@",    "`",  "#", "\n", " ",  "\t", "---\n", "...\n", "? ", "&a ",
        "!!a ", "<<: ", "\\", "}", "]",  "[,", "{,", "\"\n",  "'\n"}) {
    CAPTURE(sign);
    CHECK_FALSE(quickly(repeat(sign, 20'000)).empty());
  }
}

TEST_CASE("random special characters never crash the parser", "[spec][hostile]") {
  const std::string signs = "[]{}:,-?&*!|>'\"%@` \n\n\t#ab1<~";
  unsigned state = 1;
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (int i = 0; i < 200; ++i) {
      state = state * 1'664'525u + 1'013'904'223u;
      text += signs[(state >> 16) % signs.size()];
    }
    yaml_mistakes(text);  // any result is fine
  }
  SUCCEED();
}

TEST_CASE("every prefix of a pipeline is read or refused", "[spec][hostile]") {
  const std::string whole =
      and_a_stage("name: \"n\"\nparams: {a: [1, 'x', &b {c: \"${a}\"}], <<: *b}");
  for (std::size_t length = 0; length < whole.size(); ++length)
    yaml_mistakes(whole.substr(0, length));
  SUCCEED();
}

}  // namespace
}  // namespace headway::testing
