#include <catch2/catch_test_macros.hpp>

#include "tests/data/importing.h"

namespace headway::testing {
namespace {

using Texts = std::vector<std::string>;
using Tokens = std::vector<Token>;

const std::string kSamples = R"("samples": [
  {"input": [1, 2], "input_roles": ["b", "a"], "label": "no", "groups": {"g": 2}, "split": "train"},
  {"input": [1], "input_roles": ["a"], "label": "yes", "groups": {"g": 1}, "split": "val"},
  {"input": [2], "input_roles": [null], "label": "no", "groups": {"g": 1}, "split": "test"}])";

std::string with_header(const std::string& header) {
  return "{" + header + ", " + kSamples + "}";
}

TEST_CASE("a header gives the order of words, classes, groups and roles", "[import]") {
  const Dataset data =
      import_text(with_header(
                      R"("vocabulary": [2, "unused", "1"], "classes": ["yes", "maybe", "no"],
         "groups": {"g": [2, 1]}, "roles": ["a", "b"])"))
          .data;
  CHECK(data.legend->vocabulary.words() == Texts{"2", "unused", "1"});
  CHECK(data.legend->classes == Texts{"yes", "maybe", "no"});
  CHECK(data.legend->groups == std::vector<SampleGroup>{{"g", {"2", "1"}}});
  CHECK(data.legend->roles == Texts{"a", "b"});
  CHECK(data.split("train").inputs == Tokens{2, 0});
  CHECK(data.split("train").input_roles == Tokens{1, 0});
  CHECK(data.split("train").labels == Tokens{2});
  CHECK(data.split("train").groups == std::vector<Tokens>{{0}});
}

TEST_CASE("a header may stand behind the samples", "[import]") {
  const Dataset data = import_text("{" + kSamples + R"(, "vocabulary": [2, 1]})").data;
  CHECK(data.legend->vocabulary.words() == Texts{"2", "1"});
}

TEST_CASE("relations are between roles of the header or of the data", "[import]") {
  const Dataset data = import_text(with_header(
                                       R"("relations": {"back": [["b", "a"], [null, "b"]],
                       "self": [{"query": "a", "key": "a", "group": "g", "value": "2"}]})"))
                           .data;
  const std::int32_t b = data.legend->role("b"), a = data.legend->role("a");
  CHECK(data.legend->relations ==
        std::vector<Relation>{{"back", {{b, a}, {kAnyRole, b}}},
                              {"self", {{a, a, RolePair::Condition{0, 1}}}}});
  CHECK(mistake_in(with_header(R"("relations": {"back": [["b", "c"]]})")) ==
        "d.json: relation 'back': 'c' is none of the roles");
  CHECK(mistake_in(with_header(R"("relations": {"back": [], "back": []})")) ==
        "d.json: 'relations': 'back' is twice in one map");
  CHECK(mistake_in(with_header(R"("relations": [["a", "b"]])")) ==
        "d.json: 'relations' should be a map from names to lists of pairs, but is [[\"a\",\"b\"]]");
}

TEST_CASE("what a header lists must hold all that the records have", "[import]") {
  CHECK(mistake_in(with_header(R"("vocabulary": [1])")) ==
        "d.json: 'samples': record 0: '2' is not in 'vocabulary' of d.json");
  CHECK(mistake_in(with_header(R"("classes": ["no", "maybe"])")) ==
        "d.json: 'samples': record 1: 'yes' is not in 'classes' of d.json");
  CHECK(mistake_in(with_header(R"("roles": ["b"])")) ==
        "d.json: 'samples': record 0: 'a' is not in 'roles' of d.json");
  CHECK(mistake_in(with_header(R"("groups": {"g": ["2"]})")) ==
        "d.json: 'samples': record 1: '1' is not in 'groups' of d.json");
}

TEST_CASE("a header that the records do not fit is refused", "[import]") {
  CHECK(mistake_in(with_header(R"("groups": {"h": ["2"]})")) ==
        "d.json: 'groups' has 'h', but records have no such group");
  CHECK(mistake_in(R"({"classes": ["a", "b"], "train": [{"input": [1]}]})") ==
        "d.json: there are 'classes', but records have no label");
  CHECK(mistake_in(with_header(R"("vocabulary": [1, 2, 1])")) ==
        "d.json: 'vocabulary' has '1' twice");
  CHECK(mistake_in(with_header(R"("vocabulary": 3)")) ==
        "d.json: 'vocabulary' should be a list of texts, but is 3");
  CHECK(mistake_in(with_header(R"("vocabulary": [[1], 2])")) ==
        "d.json: 'vocabulary' should be a list of texts, but has [1]");
  CHECK(mistake_in(with_header(R"("classes": ["no"])")) ==
        "d.json: 'no' is the only class; there should be two at least");
  CHECK(mistake_in(with_header(R"("vocabulary": [1, 2], "vocabulary": [2, 1])")) ==
        "d.json: 'vocabulary': 'vocabulary' is twice in one map");
  CHECK(mistake_in(with_header(R"("name": "my data")")) ==
        "d.json: 'name' should be a list of records, but is \"my data\"");
}

TEST_CASE("headers of several files agree", "[import]") {
  const auto files = [](const std::string& val) {
    return std::vector<ImportFile>{
        text_file("a.json", R"({"vocabulary": [2, 1, 3], "samples": [{"input": [1]}]})", "train"),
        text_file("b.json", val, "val"), text_file("c.json", R"([{"input": [3]}])", "test")};
  };
  CHECK(import_dataset(files(R"({"vocabulary": [2, 1, 3], "val": [{"input": [2]}]})"), {})
            .data.split("val")
            .inputs == Tokens{0});
  CHECK(mistake_in(files(R"([{"input": [2]}])")) == "accepted");
  CHECK(mistake_in(files(R"({"vocabulary": [1, 2, 3], "samples": [{"input": [2]}]})")) ==
        "b.json: 'vocabulary' is not as in a.json");
}

TEST_CASE("an empty list in the header is one that was given", "[import]") {
  CHECK(mistake_in(R"({"vocabulary": [], "train": [{"input": [1]}]})")
            .find("there is no 'vocabulary', a list of words") != std::string::npos);
  CHECK(mistake_in(R"({"samples": [{"input": [1]}], "validation": []})") ==
        "d.json: has 'samples' and 'validation': records are either in 'samples' or in a list for "
        "each split");
}

}  // namespace
}  // namespace headway::testing
