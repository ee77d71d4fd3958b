#include "lib/base/json_parts.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

namespace headway {
namespace {

// A line for each part: its key, its place in the list, its value, and what is twice.
std::string parts_of(const std::string& json, JsonParts parts = JsonParts::kElements) {
  REQUIRE(json_mistake(json) == "");
  std::string lines;
  read_json_parts(json, parts, [&](JsonPart&& part) {
    lines += fmt::format("{}{} {}{}\n", part.key, part.index ? std::to_string(*part.index) : "-",
                         part.value.dump(), part.repeated.empty() ? "" : " twice " + part.repeated);
  });
  return lines;
}

TEST_CASE("the elements of a list are parts", "[json]") {
  CHECK(parts_of(R"([1, {"a": [2, {"b": null}]}, [[3], []], "x", true, -4, 0.5])") ==
        "0 1\n1 {\"a\":[2,{\"b\":null}]}\n2 [[3],[]]\n3 \"x\"\n4 true\n5 -4\n6 0.5\n");
  CHECK(parts_of("[]") == "- []\n");
}

TEST_CASE("the elements of lists in a map are parts, with their key", "[json]") {
  CHECK(parts_of(R"({"b": [1, [2]], "a": {"x": [3]}, "e": [], "c": 4, "d": [{"y": {}}]})") ==
        "b0 1\nb1 [2]\na- {\"x\":[3]}\ne- []\nc- 4\nd0 {\"y\":{}}\n");
  CHECK(parts_of("{}") == "");
}

TEST_CASE("a single value is a part", "[json]") {
  CHECK(parts_of("3") == "- 3\n");
  CHECK(parts_of("\xEF\xBB\xBF\"x\"") == "- \"x\"\n");
}

TEST_CASE("the whole is one part, if that is asked for", "[json]") {
  CHECK(parts_of(R"([1, {"a": 2}])", JsonParts::kWhole) == "- [1,{\"a\":2}]\n");
  CHECK(parts_of(R"({"a": [1]})", JsonParts::kWhole) == "- {\"a\":[1]}\n");
  CHECK(parts_of("[]", JsonParts::kWhole) == "- []\n");
}

TEST_CASE("a key that is twice in a map is told with the part", "[json]") {
  CHECK(parts_of(R"([{"a": 1, "a": 2}, {"a": 3}, {"b": {"c": 1, "c": 2}}])") ==
        "0 {\"a\":2} twice a\n1 {\"a\":3}\n2 {\"b\":{\"c\":2}} twice c\n");
  CHECK(parts_of(R"({"a": [1], "b": 2, "a": [3, 4]})") == "a0 1\nb- 2\na0 3 twice a\na1 4\n");
  CHECK(parts_of(R"({"a": [1], "a": [], "b": [2]})") == "a0 1\na- [] twice a\nb0 2\n");
  CHECK(parts_of(R"({"a": 1, "a": 2})", JsonParts::kWhole) == "- {\"a\":2} twice a\n");
}

TEST_CASE("what is thrown at a part passes through", "[json]") {
  int seen = 0;
  CHECK_THROWS_AS(read_json_parts("[1, 2, 3]", JsonParts::kElements,
                                  [&](JsonPart&&) {
                                    if (++seen == 2) throw 2;
                                  }),
                  int);
  CHECK(seen == 2);
}

}  // namespace
}  // namespace headway
