#include "lib/stage/schema.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/spec/yaml.h"
#include "tests/support/test_stages.h"

namespace headway {
namespace {

using testing::train_schema;

Value parse(const std::string& text) {
  Diagnostics diagnostics;
  return parse_yaml(text, SourceLocation::intern("y"), diagnostics).value();
}

std::string complaints(const std::string& text) {
  Diagnostics diagnostics;
  train_schema().resolve(parse(text), "stage 't'", {SourceLocation::intern("y"), 1, 1},
                         diagnostics);
  return diagnostics.text();
}

Json resolved(const std::string& text) {
  Diagnostics diagnostics;
  const Value value = train_schema().resolve(parse(text), "stage 't'", {}, diagnostics);
  CHECK(diagnostics.text() == "");
  return to_json(value);
}

TEST_CASE("omitted parameters have the defaults of the struct", "[stage]") {
  CHECK(resolved("{}") ==
        Json::parse(R"({"epochs": 10, "lr": 0.001, "shuffle": true, "mode": "fast", "note": "",
      "seeds": [1], "betas": [0.9, 0.999], "config": "", "code": [], "variable": "",
      "model": {"d_model": 64, "n_heads": 4, "dropout": 0.1}})"));
}

TEST_CASE("given parameters replace only their own defaults", "[stage]") {
  const Json json = resolved("{epochs: 3, model: {n_heads: 2}, seeds: [4, 5], shuffle: false}");
  CHECK(json["epochs"] == 3);
  CHECK(json["model"] == Json({{"d_model", 64}, {"n_heads", 2}, {"dropout", 0.1}}));
  CHECK(json["seeds"] == Json({4, 5}));
  CHECK(json["shuffle"] == false);
  CHECK(json["lr"] == 0.001);
}

TEST_CASE("the canonical form does not depend on file order or on spelled-out defaults",
          "[stage]") {
  const std::string one = resolved("{epochs: 3, lr: 0.5, model: {n_heads: 2, d_model: 8}}").dump();
  CHECK(one == resolved("{model: {d_model: 8, n_heads: 2}, lr: 0.5, epochs: 3}").dump());
  CHECK(one ==
        resolved("{model: {d_model: 8, n_heads: 2, dropout: 0.1}, lr: 0.5, epochs: 3, mode: fast}")
            .dump());
}

TEST_CASE("resolved parameters are in the declared order", "[stage]") {
  Diagnostics diagnostics;
  const Value value =
      train_schema().resolve(parse("{model: {}, mode: exact, epochs: 1}"), "s", {}, diagnostics);
  CHECK(keys_of(value) == std::vector<std::string>{"epochs", "lr", "shuffle", "mode", "note",
                                                   "seeds", "betas", "config", "code", "variable",
                                                   "model"});
}

TEST_CASE("an integer is accepted as a floating-point number", "[stage]") {
  CHECK(resolved("{lr: 1}").dump() == resolved("{lr: 1.0}").dump());
  CHECK(resolved("{lr: 1}")["lr"].dump() == "1.0");
  CHECK(resolved("{betas: [1, 0]}")["betas"].dump() == "[1.0,0.0]");
}

TEST_CASE("a floating-point number is not an integer, even a round one", "[stage]") {
  CHECK(complaints("{epochs: 3.0}") ==
        "y:1:10: stage 't': parameter 'epochs' expects an integer, got the number 3.0");
}

TEST_CASE("each type refuses the others and says what it expects", "[stage]") {
  CHECK(complaints("{epochs: many}") ==
        "y:1:10: stage 't': parameter 'epochs' expects an integer, got the text 'many'");
  CHECK(complaints("{lr: fast}") ==
        "y:1:6: stage 't': parameter 'lr' expects a number, got the text 'fast'");
  CHECK(complaints("{shuffle: 1}") ==
        "y:1:11: stage 't': parameter 'shuffle' expects a boolean (true or false), got the integer "
        "1");
  CHECK(complaints("{shuffle: yes}") ==
        "y:1:11: stage 't': parameter 'shuffle' expects a boolean (true or false), got the text "
        "'yes'");
  CHECK(complaints("{config: 3}") ==
        "y:1:10: stage 't': parameter 'config' expects a file, got the integer 3");
  CHECK(complaints("{model: 3}") ==
        "y:1:9: stage 't': parameter 'model' expects a map, got the integer 3");
  CHECK(complaints("{epochs: }") ==
        "y:1:2: stage 't': parameter 'epochs' expects an integer, got nothing");
}

TEST_CASE("a non-text scalar for a text parameter is refused with a hint to quote it", "[stage]") {
  CHECK(complaints("{note: 3}") ==
        "y:1:8: stage 't': parameter 'note' expects text, got the integer 3; put it in quotes");
  CHECK(complaints("{note: true}") ==
        "y:1:8: stage 't': parameter 'note' expects text, got true; put it in quotes");
  CHECK(complaints("{note: [a]}") == "y:1:8: stage 't': parameter 'note' expects text, got a list");
  CHECK(complaints("{note: '3'}") == "");
}

TEST_CASE("lists are checked item by item, each with its own location", "[stage]") {
  CHECK(complaints("{seeds: 3}") ==
        "y:1:9: stage 't': parameter 'seeds' expects a list of integers, got the integer 3");
  CHECK(complaints("{seeds: [1, x, 2.5, -1]}") ==
        "y:1:13: stage 't': parameter 'seeds' expects an integer, got the text 'x'\n"
        "y:1:16: stage 't': parameter 'seeds' expects an integer, got the number 2.5\n"
        "y:1:21: stage 't': parameter 'seeds' must be at least 0, got -1");
  CHECK(resolved("{seeds: []}")["seeds"] == Json::array());
}

TEST_CASE("a list that takes a single item has it alone", "[stage]") {
  struct Params {
    std::vector<std::string> columns;
  };
  SchemaOf<Params> schema;
  schema.add("columns", &Params::columns, "to draw").one_of({"a", "b"}).or_single();
  const auto read = [&](const std::string& text, const std::string& mistake) {
    Diagnostics diagnostics;
    const Value value = schema.resolve(parse(text), "s", {}, diagnostics);
    CHECK(diagnostics.text() == mistake);
    return to_json(value)["columns"];
  };
  CHECK(read("{columns: a}", "") == Json::array({"a"}));
  CHECK(read("{columns: [a, b]}", "") == Json::array({"a", "b"}));
  CHECK(read("{}", "") == Json::array());
  read("{columns: other}", "y:1:11: s: parameter 'columns' must be one of a, b, got 'other'");
  read("{columns: 3}",
       "y:1:11: s: parameter 'columns' expects text, got the integer 3; put it in quotes");
  CHECK(schema.find("columns")->type_name() == "text, or list of texts");
}

TEST_CASE("values out of range are refused with the range", "[stage]") {
  CHECK(complaints("{epochs: 0}") ==
        "y:1:10: stage 't': parameter 'epochs' must be between 1 and 1000, got 0");
  CHECK(complaints("{epochs: 1001}") ==
        "y:1:10: stage 't': parameter 'epochs' must be between 1 and 1000, got 1001");
  CHECK(complaints("{lr: 0}") == "y:1:6: stage 't': parameter 'lr' must be above 0, got 0.0");
  CHECK(complaints("{seeds: [-5]}") ==
        "y:1:10: stage 't': parameter 'seeds' must be at least 0, got -5");
}

TEST_CASE("the ends of a range are included, unless a bound is exclusive", "[stage]") {
  CHECK(complaints("{epochs: 1}") == "");
  CHECK(complaints("{epochs: 1000}") == "");
  CHECK(complaints("{model: {dropout: 0}}") == "");
  CHECK(complaints("{lr: 1e-300}") == "");
}

TEST_CASE("an invalid choice is refused with the choices and a suggestion", "[stage]") {
  CHECK(complaints("{mode: fats}") ==
        "y:1:8: stage 't': parameter 'mode' must be one of fast, exact, got 'fats'; did you mean "
        "'fast'?");
  CHECK(complaints("{mode: slowly}") ==
        "y:1:8: stage 't': parameter 'mode' must be one of fast, exact, got 'slowly'");
}

TEST_CASE("an unknown parameter is refused at its name, with a suggestion", "[stage]") {
  CHECK(complaints("{epoch: 3}") ==
        "y:1:2: stage 't': unknown parameter 'epoch'; did you mean 'epochs'?");
  CHECK(complaints("{batch_size: 3}") == "y:1:2: stage 't': unknown parameter 'batch_size'");
}

TEST_CASE("mistakes inside a group name the group", "[stage]") {
  CHECK(complaints("{model: {n_head: 3, d_model: 0}}") ==
        "y:1:10: stage 't': 'model': unknown parameter 'n_head'; did you mean 'n_heads'?\n"
        "y:1:30: stage 't': 'model': parameter 'd_model' must be at least 1, got 0");
}

TEST_CASE("an empty group has its defaults", "[stage]") {
  CHECK(resolved("{model: }")["model"] == resolved("{}")["model"]);
}

struct Needed {
  std::string run;
  std::int64_t count = 1;
};

TEST_CASE("a missing required parameter is reported with its help", "[stage]") {
  SchemaOf<Needed> schema;
  schema.add("run", &Needed::run, "the command").required();
  schema.add("count", &Needed::count, "how often");
  Diagnostics diagnostics;
  schema.resolve(parse("{count: 2}"), "stage 's'", {SourceLocation::intern("y"), 7, 3},
                 diagnostics);
  CHECK(diagnostics.text() == "y:7:3: stage 's': parameter 'run' is missing (the command)");
}

TEST_CASE("a resolved value is read back into the struct", "[stage]") {
  const auto params =
      train_schema().read(resolved("{epochs: 3, lr: 2, shuffle: false, mode: exact, note: hi, "
                                   "seeds: [7, 8], config: c.txt, code: [a, b], "
                                   "variable: HOME, model: {d_model: 32}}"));
  CHECK(params.epochs == 3);
  CHECK(params.lr == 2.0);
  CHECK_FALSE(params.shuffle);
  CHECK(params.mode == "exact");
  CHECK(params.note == "hi");
  CHECK(params.seeds == std::vector<std::int64_t>{7, 8});
  CHECK(params.betas == std::vector<double>{0.9, 0.999});
  CHECK(params.config.path == "c.txt");
  REQUIRE(params.code.size() == 2);
  CHECK(params.code[1].path == "b");
  CHECK(params.variable.name == "HOME");
  CHECK(params.model.d_model == 32);
  CHECK(params.model.n_heads == 4);
}

TEST_CASE("resolving is idempotent", "[stage]") {
  const Json once = resolved("{epochs: 3, lr: 2, model: {d_model: 32}}");
  Diagnostics diagnostics;
  const Value again = train_schema().resolve(from_json(once, {}), "s", {}, diagnostics);
  CHECK(diagnostics.empty());
  CHECK(to_json(again).dump() == once.dump());
}

TEST_CASE("ranges and types are described in words", "[stage]") {
  Field field;
  CHECK(field.range_text() == "");
  field.at_least(1);
  CHECK(field.range_text() == "at least 1");
  field.at_most(9);
  CHECK(field.range_text() == "between 1 and 9");
  field.above(0.5);
  CHECK(field.range_text() == "above 0.5 and at most 9");
  Field high;
  CHECK(high.at_most(3).range_text() == "at most 3");
  CHECK(train_schema().find("seeds")->type_name() == "list of integers");
  CHECK(train_schema().find("code")->type_name() == "list of files");
  CHECK(train_schema().find("lr")->type_name() == "number");
  CHECK_FALSE(train_schema().find("none"));
}

}  // namespace
}  // namespace headway
