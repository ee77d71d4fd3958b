#include <catch2/catch_test_macros.hpp>

#include "tests/data/importing.h"

namespace headway::testing {
namespace {

using Texts = std::vector<std::string>;
using Tokens = std::vector<Token>;

// A file whose records have these fields, different inputs, and a split each.
std::string records(const Texts& fields, const std::string& name = "input") {
  static const Texts kSplits = {"train", "val", "test"};
  std::string text;
  for (std::size_t i = 0; i < fields.size(); ++i)
    text += (i == 0 ? "[{" : ",\n {") + fields[i] + (fields[i].empty() ? "" : ", ") +
            (fields[i].find('"' + name + '"') == std::string::npos
                 ? "\"input\": [" + std::to_string(i) + "], "
                 : "") +
            "\"split\": \"" + kSplits[i % 3] + "\"}";
  return text + "]";
}

std::string record_mistake(const Texts& fields, const ImportOptions& options = {}) {
  return mistake_in(records(fields), options);
}

TEST_CASE("text is split into characters", "[import]") {
  const Dataset data =
      import_text(records({R"("input": "a→b", "target": "→")", R"("input": "b a", "target": "b")",
                           R"("input": "ä", "target": "a")"}),
                  with_characters())
          .data;
  CHECK(data.legend->vocabulary.words() == Texts{" ", "a", "b", "ä", "→"});
  CHECK(data.split("train").inputs == Tokens{1, 4, 2});
  CHECK(texts_in(data, "val") == Texts{"b a -> b"});
}

TEST_CASE("text is split into words, at any spaces", "[import]") {
  const Dataset data = import_text(records({R"("input": " one  two\tthree\n")", R"("input": "two")",
                                            R"("input": "one two")"}),
                                   with_words())
                           .data;
  CHECK(texts_in(data, "train") == Texts{"one two three"});
}

TEST_CASE("how a text is split is not guessed", "[import]") {
  CHECK(record_mistake({R"("input": "1+2")"}) ==
        "d.json: record 0: 'input' is text; 'tokens: characters' or 'tokens: words' says how to "
        "split it");
}

TEST_CASE("lists are never split, whatever they hold", "[import]") {
  const Dataset data =
      import_text(
          records({R"("input": ["New York", 12, -3])", R"("input": ["12"])", R"("input": ["x"])"}),
          with_characters())
          .data;
  CHECK(data.legend->vocabulary.words() == Texts{"-3", "12", "New York", "x"});
  CHECK(data.split("val").inputs == Tokens{1});  // the text "12" is the number 12
}

TEST_CASE("labels are texts, numbers or truth values", "[import]") {
  const Dataset data =
      import_text(records({R"("label": 10)", R"("label": "9")", R"("label": true)"})).data;
  CHECK(data.kind() == TargetKind::kLabel);
  CHECK(data.legend->classes == Texts{"9", "10", "true"});
  CHECK(data.split("train").labels == Tokens{1});
  CHECK(record_mistake({R"("label": 0.5)"}) ==
        "d.json: record 0: 'label': 0.5 is no class (text or a whole number)");
  CHECK(record_mistake({R"("label": null)"}) ==
        "d.json: record 0: 'label': null is no class (text or a whole number)");
  CHECK(record_mistake({R"("label": ["a"])"}) ==
        "d.json: record 0: 'label': [\"a\"] is no class (text or a whole number)");
  CHECK(record_mistake({R"("label": "a")", R"("label": "a")", R"("label": "a")"}) ==
        "d.json: 'a' is the only class; there should be two at least");
}

TEST_CASE("labels and targets do not mix", "[import]") {
  CHECK(record_mistake({R"("label": 1, "target": [1])"}) ==
        "d.json: record 0: the target 'target' and the label 'label' are both here; a record has "
        "one of them, or "
        "neither");
  CHECK(record_mistake({R"("label": 1)", R"("target": [1])"}) ==
        "d.json: record 1: 'target' is here, but d.json: record 0 has none; all records must have "
        "the same fields");
  CHECK(record_mistake({R"("label": 1)", ""}) ==
        "d.json: record 1: 'label' is missing, but d.json: record 0 has it; all records must have "
        "the same fields");
}

TEST_CASE("every record has the same groups", "[import]") {
  const Dataset data = import_text(records({R"("groups": {"n": 10, "odd": true})",
                                            R"("groups": {"odd": false, "n": 9})",
                                            R"("groups": {"n": 0.5, "odd": true})"}))
                           .data;
  CHECK(data.legend->groups ==
        std::vector<SampleGroup>{{"n", {"0.5", "9", "10"}}, {"odd", {"false", "true"}}});
  CHECK(data.split("val").groups == std::vector<Tokens>{{1}, {0}});
  const std::string first = R"("groups": {"n": 1})";
  CHECK(record_mistake({first, ""}) ==
        "d.json: record 1: group 'n' is missing, but d.json: record 0 has it");
  CHECK(record_mistake({first, R"("groups": {"m": 1})"}) ==
        "d.json: record 1: group 'm' is here, but not in d.json: record 0");
  CHECK(record_mistake({first, R"("groups": {"n": []})"}) ==
        "d.json: record 1: group 'n': [] is no value (text or a number)");
  CHECK(record_mistake({first, R"("groups": {"n": 1, "n": 2})"}) ==
        "d.json: record 1: 'n' is twice in one map");
  CHECK(record_mistake({R"("groups": {"class": 1})", R"("groups": {"class": 1})",
                        R"("groups": {"class": 1})"}) ==
        "d.json: a group cannot be called 'class', which tables have for something else");
  ImportOptions options;
  options.groups = {"n"};
  CHECK(record_mistake({R"("n": 1, "groups": {"n": 2})"}, options) ==
        "d.json: record 0: group 'n' is both a field and in 'groups'");
}

TEST_CASE("a group with a value for each sample is refused", "[import]") {
  Texts fields;
  for (int i = 0; i < 1001; ++i) fields.push_back(R"("groups": {"id": )" + std::to_string(i) + "}");
  CHECK(record_mistake(fields) ==
        "d.json: record 1000: group 'id' has over 1000 values; groups are for "
        "values that many samples share");
  fields.pop_back();
  CHECK(record_mistake(fields) == "accepted");
}

TEST_CASE("roles, positions and questions have an item for each token", "[import]") {
  const Dataset data =
      import_text(
          records(
              {R"("input": [5, 6], "input_roles": ["b", null], "input_positions": [3, 9], "asked": [0, 1])",
               R"("input": [5], "input_roles": ["a"], "input_positions": [0], "asked": [1])",
               R"("input": [6], "input_roles": [""], "input_positions": [0], "asked": [1])"}))
          .data;
  CHECK(data.legend->roles == Texts{"b", "a"});  // in the order of the data
  CHECK(data.split("train").input_roles == Tokens{0, kNoRole});
  CHECK(data.split("train").input_positions == Tokens{3, 9});
  CHECK(data.split("train").input_asked == Tokens{0, 1});
  CHECK(record_mistake({R"("input": [5, 6], "input_roles": ["b"])"}) ==
        "d.json: record 0: 'input_roles' has 1 role for 2 tokens");
  CHECK(record_mistake({R"("input_roles": "b")"}) ==
        "d.json: record 0: 'input_roles' should be a list, but is \"b\"");
  CHECK(record_mistake({R"("input_roles": [3])"}) ==
        "d.json: record 0: 'input_roles': 3 is no role (text, or null for none)");
  CHECK(record_mistake({R"("input_positions": [65536])"}) ==
        "d.json: record 0: 'input_positions': 65536 is none of the numbers 0..65535");
  CHECK(record_mistake({R"("input_positions": ["1"])"}) ==
        "d.json: record 0: 'input_positions': \"1\" is none of the numbers 0..65535");
  CHECK(record_mistake({R"("asked": [2])"}) ==
        "d.json: record 0: 'asked': 2 is none of the numbers 0..1");
  CHECK(record_mistake({R"("asked": [0])"}) == "d.json: record 0: 'asked' asks for no token");
  CHECK(record_mistake({R"("asked": [1, 0])"}) ==
        "d.json: record 0: 'asked' has 2 numbers for 1 token");
  CHECK(record_mistake(
            {R"("input_roles": ["*"])", R"("input_roles": ["*"])", R"("input_roles": ["*"])"}) ==
        "d.json: a role cannot be called '*', which stands for any role");
}

TEST_CASE("targets have roles and positions, where they are there", "[import]") {
  CHECK(record_mistake({R"("target_roles": ["a"])"}) ==
        "d.json: record 0: 'target_roles' is here, but no 'target'");
  CHECK(record_mistake({R"("target": [1], "target_positions": [1])"}) ==
        "d.json: record 0: 'target_positions' is here, but no 'input_positions'");
  CHECK(record_mistake({R"("target": [1], "input_positions": [1])"}) ==
        "d.json: record 0: 'input_positions' is here, but no 'target_positions'");
  CHECK(record_mistake({R"("target": [1], "target_roles": [])"}) ==
        "d.json: record 0: 'target_roles' has 0 roles for 1 token");
}

TEST_CASE("the end marker stands one position behind the last word", "[import]") {
  const auto positions = [](const std::string& target) {
    const std::string other = R"("input_positions": [0], "target": [1], "target_positions": [4])";
    return import_text(records({R"("input_positions": [0], )" + target, other, other}))
        .data.split("train")
        .target_positions;
  };
  CHECK(positions(R"("target": [1, 2], "target_positions": [7, 3])") == Tokens{7, 3, 4});
  CHECK(positions(R"("target": [1, 2], "target_positions": [7, 65535])") ==
        Tokens{7, 65'535, 65'535});
  CHECK(positions(R"("target": [], "target_positions": [])") == Tokens{0});
}

TEST_CASE("an empty target is a target only beside longer ones", "[import]") {
  CHECK(record_mistake({R"("target": [])", R"("target": [])", R"("target": [])"}) ==
        "d.json: every target is empty");
  CHECK(record_mistake({R"("target": [])", R"("target": [])", R"("target": [1])"}) == "accepted");
}

TEST_CASE("fields that mean nothing are left alone, slips are not", "[import]") {
  CHECK(record_mistake({R"("id": 1, "text": "a")", R"("x": {})", R"("y": [])"}) == "accepted");
  CHECK(record_mistake({R"("inputs": [1])", "", ""}) == "accepted");  // there is an input
  CHECK(record_mistake({R"("lable": 1)"}) ==
        "d.json: record 0: unknown field 'lable'; did you mean 'label'?");
  CHECK(record_mistake({R"("id": 1)", R"("group": {"a": 1})"}) ==
        "d.json: record 1: unknown field 'group'; did you mean 'groups'?");
}

TEST_CASE("so many different words that no file holds them are refused", "[import]") {
  const std::string long_word = '"' + std::string(25'000'000, 'a');
  CHECK(record_mistake({R"("input": [)" + long_word + "1\", " + long_word + "2\"]"}) ==
        "d.json: the different words, and all other names, take 50.0 MB; at most 40.0 MB can be");
}

}  // namespace
}  // namespace headway::testing
