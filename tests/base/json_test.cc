#include "lib/base/json.h"

#include <catch2/catch_test_macros.hpp>

namespace headway::testing {
namespace {

std::string tower(std::size_t depth, const std::string& open = "[",
                  const std::string& close = "]") {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  text += "1";
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

TEST_CASE("torn JSON gives nothing, not an exception", "[base]") {
  CHECK_FALSE(parse_json("{\"a\": "));
  CHECK_FALSE(parse_json(""));
  CHECK(parse_json("{\"a\": 1}") == Json({{"a", 1}}));
}

TEST_CASE("JSON may be nested 200 levels deep, but no deeper", "[base]") {
  CHECK(to_line(*parse_json(tower(kDeepestJson))) == tower(kDeepestJson));
  CHECK(json_mistake(tower(kDeepestJson)).empty());
  CHECK_FALSE(parse_json(tower(kDeepestJson + 1)));
  CHECK(json_mistake("\n" + tower(kDeepestJson + 1)) ==
        "line 2, column 201: nested more than 200 levels deep");
  CHECK(json_mistake(tower(kDeepestJson + 1, "{\"ä\":", "}")) ==
        "line 1, column 1001: nested more than 200 levels deep");
}

TEST_CASE("a million brackets cost no more than reading them", "[base]") {
  CHECK_FALSE(parse_json(std::string(1'000'000, '[')));
  CHECK_FALSE(parse_json(tower(1'000'000, "{\"a\":", "}")));
  CHECK(json_mistake(tower(1'000'000)).ends_with("nested more than 200 levels deep"));
}

TEST_CASE("brackets inside strings and closed brackets do not count as nesting", "[base]") {
  const std::string brackets(1000, '[');
  CHECK(*parse_json("[\"" + brackets + "\"]") == Json({brackets}));
  CHECK(*parse_json("[\"\\\"" + brackets + "\"]") == Json({"\"" + brackets}));
  std::string flat = "[";
  for (int i = 0; i < 1000; ++i) flat += "[],{},";
  CHECK(parse_json(flat + "1]")->size() == 2001);
}

TEST_CASE("a mistake in JSON is located, and valid JSON has none", "[base]") {
  CHECK(json_mistake("{\"a\": [1, 2.5, null]}").empty());
  CHECK(json_mistake("[1,\n 1e400]") == "line 2, column 2: the number 1e400 is too large");
  CHECK(json_mistake(std::string("[1]\0[2]", 7)) ==
        "line 1, column 4: a zero byte: this is not text");
  CHECK_FALSE(parse_json(std::string("[1]\0[2]", 7)));
  CHECK(json_mistake("[\x1b[31m]") == "line 1, column 2: unexpected '\uFFFD'");
  CHECK(json_mistake(" \t ") == "it is empty");
}

TEST_CASE("bytes that are not UTF-8 can be written into a line of JSON", "[base]") {
  CHECK(to_line(Json("a\xff")) == "\"a\uFFFD\"");
  CHECK(to_lines({{"a", "\xff"}}, 1) == "{\n \"a\": \"\uFFFD\"\n}");
}

TEST_CASE("an excerpt of JSON fits a message", "[base]") {
  CHECK(excerpt({{"a", 1}}) == "{\"a\":1}");
  CHECK(excerpt(std::string(100, 'x'), 10) == "\"xxxxxxxx…");
  CHECK(excerpt("\u0085") == "\"\uFFFD\"");
}

}  // namespace
}  // namespace headway::testing
