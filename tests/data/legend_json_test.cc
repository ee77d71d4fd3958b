#include "lib/data/legend_json.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"

namespace headway {
namespace {

const Json kLegend = Json::parse(R"({
  "vocabulary": ["a", "b"], "classes": ["no", "yes"],
  "groups": {"length": ["1", "2"], "kind": ["x"]},
  "roles": ["first", "last"],
  "relations": {"back": [["last", "first"], {"query": "*", "key": "first", "group": "length", "value": "2"}],
                "none": []}
})");

Json changed(const std::string& part, const std::string& json) {
  Json legend = kLegend;
  legend[part] = Json::parse(json);
  return legend;
}

std::string legend_mistake(const Json& json) {
  try {
    legend_from(json);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("a legend is read from JSON", "[data]") {
  const Legend legend = legend_from(kLegend);
  CHECK(legend.vocabulary.find("b") == 1);
  CHECK(legend.groups == std::vector<SampleGroup>{{"kind", {"x"}}, {"length", {"1", "2"}}});
  CHECK(legend.role("last") == 1);
  CHECK(legend.role("middle") == -1);
  CHECK(legend.group("length") == 1);
  CHECK(legend.group("size") == -1);
  REQUIRE(legend.relations.size() == 2);
  CHECK(legend.relations[0] ==
        Relation{"back", {{1, 0}, {kAnyRole, 0, RolePair::Condition{1, 1}}}});
  CHECK(legend.relations[1] == Relation{"none", {}});
}

TEST_CASE("a legend survives a round trip through JSON", "[data]") {
  const Legend legend = legend_from(kLegend);
  CHECK(legend_from(to_json(legend)) == legend);
  const Legend small = legend_from({{"vocabulary", {"a"}}});
  CHECK(to_json(small) == Json{{"vocabulary", {"a"}}});
  CHECK(legend_from(to_json(small)) == small);
}

TEST_CASE("null in a relation is any role", "[data]") {
  const Legend legend =
      legend_from(changed("relations", R"({"r": [[null, "last"], ["*", null]]})"));
  CHECK(legend.relations[0].pairs == std::vector<RolePair>{{kAnyRole, 1}, {kAnyRole, kAnyRole}});
}

TEST_CASE("lists of a legend have different texts", "[data]") {
  CHECK(legend_mistake(Json::object()) == "there is no 'vocabulary', a list of words");
  CHECK(legend_mistake(changed("vocabulary", "[]")) == "there is no 'vocabulary', a list of words");
  CHECK(legend_mistake(changed("vocabulary", "3")) ==
        "'vocabulary' should be a list of texts, but is 3");
  CHECK(legend_mistake(changed("vocabulary", R"(["a", 3])")) ==
        "'vocabulary' should be a list of texts, but has 3");
  CHECK(legend_mistake(changed("vocabulary", R"(["a", ""])")) ==
        "'vocabulary' should be a list of texts, but has \"\"");
  CHECK(legend_mistake(changed("vocabulary", R"(["a", "b", "a"])")) ==
        "'vocabulary' has 'a' twice");
  CHECK(legend_mistake(changed("classes", R"(["a"])")) ==
        "'a' is the only class; there should be two at least");
  CHECK(legend_mistake(changed("groups", "[]")) ==
        "'groups' should be a map from names to values, but is []");
  CHECK(legend_mistake(changed("groups", R"({"g": []})")) == "group 'g' has no values");
  CHECK(legend_mistake(changed("groups", R"({"g": ["1", "1"]})")) == "group 'g' has '1' twice");
  CHECK(legend_mistake(changed("roles", R"(["a", "a"])")) == "'roles' has 'a' twice");
}

TEST_CASE("names that tables or relations need for themselves are refused", "[data]") {
  CHECK(legend_mistake(changed("groups", R"({"position": ["1"], "length": ["2"]})")) ==
        "a group cannot be called 'position', which tables have for something else");
  CHECK(legend_mistake(changed("groups", R"({"": ["1"], "length": ["2"]})")) ==
        "a group has no name");
  CHECK(legend_mistake(changed("relations", R"({"entropy": []})")) ==
        "a relation cannot be called 'entropy', which tables have for something else");
  CHECK(legend_mistake(changed("roles", R"(["first", "last", "*"])")) ==
        "a role cannot be called '*', which stands for any role");
}

TEST_CASE("a relation names roles, groups and values that there are", "[data]") {
  const auto relation = [](const std::string& pair) {
    return legend_mistake(changed("relations", R"({"r": [)" + pair + "]}"));
  };
  CHECK(relation(R"(["first", "last"])") == "accepted");
  CHECK(relation(R"(["first", "middle"])") == "relation 'r': 'middle' is none of the roles");
  CHECK(relation(R"(["first", 3])") ==
        "relation 'r': a role should be text, or null for any, but is 3");
  CHECK(relation(R"(["first"])") ==
        "relation 'r': a pair should be [query, key] or a map with 'query' and 'key', but is "
        "[\"first\"]");
  CHECK(relation(R"({"query": "first"})") ==
        "relation 'r': a pair should be [query, key] or a map with 'query' and 'key', but is "
        "{\"query\":\"first\"}");
  CHECK(relation(R"({"query": "*", "key": "last", "when": 3})") ==
        "relation 'r': a pair has query, key, group and value, but no 'when'");
  CHECK(relation(R"({"query": "*", "key": "last", "group": "length"})")
            .starts_with("relation 'r': 'group' and 'value' should be texts, but a pair is "));
  CHECK(relation(R"({"query": "*", "key": "last", "group": "size", "value": "1"})") ==
        "relation 'r': 'size' is none of the groups");
  CHECK(relation(R"({"query": "*", "key": "last", "group": "length", "value": "3"})") ==
        "relation 'r': '3' is no value of the group 'length'");
  CHECK(legend_mistake(changed("relations", "[]")) ==
        "'relations' should be a map from names to lists of pairs, but is []");
  CHECK(legend_mistake(changed("relations", R"({"r": 3})")) ==
        "relation 'r': should be a list of pairs, but is 3");
}

}  // namespace
}  // namespace headway
