#include "lib/base/value.h"

#include <catch2/catch_test_macros.hpp>

namespace headway {
namespace {

Value value(const Json& json) {
  return from_json(json, {});
}

TEST_CASE("values are described in everyday words", "[base]") {
  CHECK(value(nullptr).describe() == "nothing");
  CHECK(value(true).describe() == "true");
  CHECK(value(3).describe() == "the integer 3");
  CHECK(value(0.5).describe() == "the number 0.5");
  CHECK(value("abc").describe() == "the text 'abc'");
  CHECK(value(Json::array({1})).describe() == "a list");
  CHECK(value(Json::object()).describe() == "a map");
}

TEST_CASE("a long or dangerous text is described briefly and safely", "[base]") {
  CHECK(value(std::string(1000, 'x')).describe() == "the text '" + std::string(39, 'x') + "…'");
  CHECK(value("a\x1b[2J\nb").describe() == "the text 'a�[2J\\nb'");
}

TEST_CASE("scalars are written as people write them", "[base]") {
  CHECK(value("abc").plain() == "abc");
  CHECK(value(3).plain() == "3");
  CHECK(value(1e-3).plain() == "0.001");
  CHECK(value(2.0).plain() == "2.0");
  CHECK(value(true).plain() == "true");
}

TEST_CASE("entries are found by name, only in maps", "[base]") {
  const Value map = value({{"a", 1}, {"b", {{"c", 2}}}});
  REQUIRE(map.find("b"));
  CHECK(*map.find("b")->find("c")->integer() == 2);
  CHECK_FALSE(map.find("z"));
  CHECK_FALSE(value(3).find("a"));
  CHECK(keys_of(map) == std::vector<std::string>{"a", "b"});
  CHECK(keys_of(value(3)).empty());
}

TEST_CASE("a value that is not a list is its own only item, and a non-map has no entries",
          "[base]") {
  const Value list = value({1, 2}), map = value({{"a", 1}, {"b", 2}});
  CHECK(items_of(list).size() == 2);
  CHECK(items_of(map).data() == &map);
  CHECK(items_of(map).size() == 1);
  CHECK(entries_of(map).size() == 2);
  CHECK(entries_of(map)[1].key == "b");
  CHECK(entries_of(list).empty());
}

TEST_CASE("JSON survives a round trip through a value", "[base]") {
  const Json json = {
      {"list", {1, 2.5, "x", nullptr, true}}, {"map", {{"k", "v"}}}, {"empty", Json::array()}};
  CHECK(to_json(value(json)) == json);
}

}  // namespace
}  // namespace headway
