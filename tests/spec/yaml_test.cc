#include "lib/spec/yaml.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"

namespace headway::testing {
namespace {

TEST_CASE("plain scalars have the types of YAML 1.2", "[spec]") {
  CHECK(yaml("[true, True, FALSE]") == Json({true, true, false}));
  CHECK(yaml("[~, null, Null, NULL, ]") == Json({nullptr, nullptr, nullptr, nullptr}));
  CHECK(yaml("[0, 12, -3, +4, 0x1F, 0o17]") == Json({0, 12, -3, 4, 31, 15}));
  CHECK(yaml("[0.5, -1.5, 1e-3, 1E3, .5, 5.]") == Json({0.5, -1.5, 1e-3, 1e3, 0.5, 5.0}));
  CHECK(yaml("[abc, yes, no, on, off, 1_000, 12:30, 1.2.3, 0b1, -, +]") ==
        Json({"abc", "yes", "no", "on", "off", "1_000", "12:30", "1.2.3", "0b1", "-", "+"}));
}

TEST_CASE("integers stay integers and floating-point numbers stay floating-point", "[spec]") {
  CHECK(yaml("1").is_number_integer());
  CHECK(yaml("1.0").is_number_float());
  CHECK(yaml("1e3").is_number_float());
  CHECK(yaml("9223372036854775807") == Json(9223372036854775807));
}

TEST_CASE("quoted and block scalars are text, whatever they look like", "[spec]") {
  CHECK(yaml("['12', \"true\", 'null', '']") == Json({"12", "true", "null", ""}));
  CHECK(yaml("a: |\n  12\nb: >\n  x\n  y\n") == Json({{"a", "12\n"}, {"b", "x y\n"}}));
  CHECK(yaml("a: !!str 12") == Json({{"a", "12"}}));
}

TEST_CASE("inf and nan are plain words", "[spec]") {
  CHECK(yaml("[inf, nan, -inf, .inf, .nan]") == Json({"inf", "nan", "-inf", ".inf", ".nan"}));
}

TEST_CASE("escapes in double quotes mean their characters", "[spec]") {
  CHECK(yaml(R"("a\tb\n\u00e9\\")") == Json("a\tb\né\\"));
}

TEST_CASE("maps keep the order of the file and every value its location", "[spec]") {
  Diagnostics diagnostics;
  const Value value =
      parse_yaml("b: 1\na:\n  - x\n  - {k: v}\n", SourceLocation::intern("y"), diagnostics).value();
  CHECK(keys_of(value) == std::vector<std::string>{"b", "a"});
  CHECK(value.find("b")->location.text() == "y:1:4");
  CHECK((*value.map())[1].key_location.text() == "y:2:1");
  const Value& item = (*value.find("a")->list())[1];
  CHECK(item.location.text() == "y:4:5");
  CHECK(item.find("k")->location.text() == "y:4:9");
}

TEST_CASE("an omitted value is located at its key, not at the next one", "[spec]") {
  Diagnostics diagnostics;
  const Value value =
      parse_yaml("a:\nb:\n  c:\nd: 1\n", SourceLocation::intern("y"), diagnostics).value();
  CHECK(value.find("a")->location.text() == "y:1:1");
  CHECK(value.find("b")->find("c")->location.text() == "y:3:3");
}

TEST_CASE("anchors and aliases repeat a value", "[spec]") {
  CHECK(yaml("a: &x {k: [1, 2]}\nb: *x\n") ==
        Json({{"a", {{"k", {1, 2}}}}, {"b", {{"k", {1, 2}}}}}));
}

TEST_CASE("an aliased value keeps its original location", "[spec]") {
  Diagnostics diagnostics;
  const Value value =
      parse_yaml("a: &x 3\nb: *x\n", SourceLocation::intern("y"), diagnostics).value();
  CHECK(value.find("b")->location.text() == "y:1:4");
}

TEST_CASE("an anchor may be redefined, and the last one before an alias counts", "[spec]") {
  CHECK(yaml("[&x 1, *x, &x 2, *x]") == Json({1, 1, 2, 2}));
}

TEST_CASE("a merge key adds what the map lacks", "[spec]") {
  const std::string base = "base: &b {x: 1, y: 2}\n";
  CHECK(yaml(base + "m: {<<: *b, y: 3}")["m"] == Json({{"x", 1}, {"y", 3}}));
  CHECK(yaml(base + "m: {y: 3, <<: *b}")["m"] == Json({{"x", 1}, {"y", 3}}));
  CHECK(yaml(base + "c: &c {x: 5, z: 6}\nm: {<<: [*b, *c]}")["m"] ==
        Json({{"x", 1}, {"y", 2}, {"z", 6}}));
}

TEST_CASE("a merge key only merges maps", "[spec]") {
  CHECK(yaml_mistakes("m: {<<: 3}") == "y:1:9: '<<' merges maps, got the integer 3");
  CHECK(yaml_mistakes("m: {<<: [{a: 1}, x]}") == "y:1:18: '<<' merges maps, got the text 'x'");
}

TEST_CASE("a duplicate key is reported with the line of the first", "[spec]") {
  CHECK(yaml_mistakes("a: 1\nb: 2\na: 3\n") == "y:3:1: duplicate key 'a', first on line 1");
  CHECK(yaml_mistakes("m: {k: 1, k: 1}") == "y:1:11: duplicate key 'k', first on line 1");
  CHECK(yaml_mistakes("a: 1\n'a': 2\n") == "y:2:1: duplicate key 'a', first on line 1");
}

TEST_CASE("the same key in different maps is not a duplicate", "[spec]") {
  CHECK(yaml_mistakes("a: {k: 1}\nb: {k: 1}\n") == "");
}

TEST_CASE("all duplicate keys are reported at once", "[spec]") {
  CHECK(yaml_mistakes("a: 1\na: 2\nb: 1\nb: 2\n") ==
        "y:2:1: duplicate key 'a', first on line 1\n"
        "y:4:1: duplicate key 'b', first on line 3");
}

TEST_CASE("keys are text", "[spec]") {
  CHECK(yaml("{1: a, true: b, 0.5: c}") == Json({{"1", "a"}, {"true", "b"}, {"0.5", "c"}}));
  CHECK(yaml_mistakes("[1]: 2\n") == "y:1:1: a key must be text, not a list or a map");
  CHECK(yaml_mistakes("? {a: 1}\n: 2\n") == "y:1:3: a key must be text, not a list or a map");
  CHECK(yaml_mistakes(": 2\n") == "y:1:1: a key must be text");
}

TEST_CASE("a tag on a scalar is not supported", "[spec]") {
  CHECK(yaml_mistakes("a: !foo x\n") == "y:1:4: the tag '!foo' is not supported");
  CHECK(yaml_mistakes("a: !!python/object x\n") ==
        "y:1:4: the tag 'tag:yaml.org,2002:python/object' is not supported");
}

TEST_CASE("a number too large to represent is refused", "[spec]") {
  CHECK(yaml_mistakes("a: 1e999") == "y:1:4: the number 1e999 is out of range");
  CHECK(yaml_mistakes("[-1e999]") == "y:1:2: the number -1e999 is out of range");
  CHECK(yaml_mistakes("'1e999'") == "");
}

TEST_CASE("an integer beyond 64 bits is not an integer", "[spec]") {
  CHECK_FALSE(yaml("9223372036854775808").is_number_integer());
  CHECK_FALSE(yaml("123456789012345678901234567890").is_number_integer());
  CHECK_FALSE(yaml("0xFFFFFFFFFFFFFFFF").is_number_integer());
}

TEST_CASE("an empty file and a file of only comments are nothing", "[spec]") {
  CHECK(yaml("").is_null());
  CHECK(yaml("# a comment\n\n").is_null());
  CHECK(yaml("---\n").is_null());
  CHECK(yaml(" \n \n").is_null());
}

TEST_CASE("a second document is refused", "[spec]") {
  CHECK(yaml_mistakes("a: 1\n---\nb: 2\n") ==
        "y:3:1: a second document in the file; there can be only one");
}

TEST_CASE("a document may begin and end with markers", "[spec]") {
  CHECK(yaml("%YAML 1.2\n---\na: 1\n...\n") == Json({{"a", 1}}));
}

TEST_CASE("invalid YAML is reported with its location", "[spec]") {
  CHECK(yaml_mistakes("a: [1, 2\nb: 3\n").starts_with("y:"));
  CHECK(yaml_mistakes("a: {b: 1\n") == "y:2:1: not valid YAML: end of map flow not found");
  CHECK(yaml_mistakes("a: [b\n") == "y:2:1: not valid YAML: end of sequence flow not found");
  CHECK(yaml_mistakes("a: 'b: 1\nc: 2\nd: e'f\n").starts_with("y:3:"));
  CHECK(yaml_mistakes("a: \"\\q\"\n") == "y:1:7: not valid YAML: unknown escape character: q");
  CHECK(yaml_mistakes("a: *nowhere\n")  // newer versions of yaml-cpp add its name
            .starts_with("y:1:4: not valid YAML: the referenced anchor is not defined"));
  CHECK(yaml_mistakes("a: b: c\n") == "y:1:5: not valid YAML: illegal map value");
}

TEST_CASE("limits can be lowered by the caller", "[spec]") {
  Diagnostics diagnostics;
  CHECK_FALSE(parse_yaml("a: 12345678", SourceLocation::intern("y"), diagnostics, {.bytes = 5}));
  CHECK(diagnostics.text() == "y: the file is 11 B; at most 5 B are read");
  CHECK_THROWS_AS(
      parse_yaml("[1, 2, 3, 4]", SourceLocation::intern("y"), diagnostics, {.nodes = 3}),
      PipelineError);
  CHECK_THROWS_AS(parse_yaml("[[[1]]]", SourceLocation::intern("y"), diagnostics, {.depth = 2}),
                  PipelineError);
  CHECK_NOTHROW(parse_yaml("[[1]]", SourceLocation::intern("y"), diagnostics, {.depth = 2}));
}

}  // namespace
}  // namespace headway::testing
