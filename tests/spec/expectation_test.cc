#include "lib/spec/expectation.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/spec/yaml.h"

namespace headway {
namespace {

std::vector<Expectation> parse(const std::string& text, Diagnostics& diagnostics) {
  return parse_expectations(parse_yaml(text, SourceLocation::intern("y"), diagnostics).value(),
                            "stage 's'", diagnostics);
}

std::string complaints(const std::string& text) {
  Diagnostics diagnostics;
  parse(text, diagnostics);
  return diagnostics.text();
}

// The unmet expectations, one sentence per line.
std::string unmet(const std::string& expect, const Json& metrics) {
  Diagnostics diagnostics;
  std::string text;
  for (const Expectation& expectation : parse(expect, diagnostics)) {
    if (const auto sentence = unmet(expectation, metrics))
      text += (text.empty() ? "" : "\n") + *sentence;
  }
  CHECK(diagnostics.text() == "");
  return text;
}

bool holds(const std::string& comparison, const Json& value) {
  return unmet("{m: '" + comparison + "'}", {{"m", value}}).empty();
}

TEST_CASE("every comparison holds exactly when it should", "[spec]") {
  CHECK((holds("< 2", 1) && !holds("< 2", 2) && !holds("< 2", 3)));
  CHECK((holds("<= 2", 1) && holds("<= 2", 2) && !holds("<= 2", 3)));
  CHECK((!holds("== 2", 1) && holds("== 2", 2) && !holds("== 2", 3)));
  CHECK((holds("!= 2", 1) && !holds("!= 2", 2) && holds("!= 2", 3)));
  CHECK((!holds(">= 2", 1) && holds(">= 2", 2) && holds(">= 2", 3)));
  CHECK((!holds("> 2", 1) && !holds("> 2", 2) && holds("> 2", 3)));
}

TEST_CASE("integers and numbers compare by value", "[spec]") {
  CHECK(holds("== 2", 2.0));
  CHECK(holds("== 2.0", 2));
  CHECK(holds(">= 0.99", 1));
  CHECK(holds("<1e-3", 0.0005));
  CHECK(holds(">=-1", -1));
}

TEST_CASE("a plain value means equality", "[spec]") {
  CHECK(unmet("{rows: 810000}", {{"rows", 810000}}) == "");
  CHECK(unmet("{rows: 810000}", {{"rows", 5}}) == "expected rows == 810000, got 5");
  CHECK(unmet("{done: true}", {{"done", false}}) == "expected done == true, got false");
  CHECK(unmet("{state: converged}", {{"state", "diverged"}}) ==
        "expected state == \"converged\", got \"diverged\"");
  CHECK(unmet("{state: '== converged'}", {{"state", "converged"}}) == "");
  CHECK(unmet("{state: '!= converged'}", {{"state", "converged"}}) ==
        "expected state != \"converged\", got \"converged\"");
}

TEST_CASE("an unmet expectation is reported with the actual value", "[spec]") {
  CHECK(unmet("{accuracy: '>= 0.99'}", {{"accuracy", 0.93}}) ==
        "expected accuracy >= 0.99, got 0.93");
}

TEST_CASE("all comparisons of a list must hold", "[spec]") {
  CHECK(unmet("{accuracy: '>= 0.99'}", {{"accuracy", 2.0 / 3}}) ==
        "expected accuracy >= 0.99, got 0.6667");
  CHECK(unmet("{accuracy: '>= 0.99'}", {{"accuracy", 0.98999712345}}) ==
        "expected accuracy >= 0.99, got 0.989997");
  CHECK(unmet("{loss: ['> 0', '< 0.1']}", {{"loss", 0.05}}) == "");
  CHECK(unmet("{loss: ['> 0', '< 0.1']}", {{"loss", 0.5}}) == "expected loss < 0.1, got 0.5");
  CHECK(unmet("{loss: ['> 1', '< 0.1']}", {{"loss", 0.5}}) ==
        "expected loss > 1, got 0.5\nexpected loss < 0.1, got 0.5");
}

TEST_CASE("a dotted name refers to nested metrics", "[spec]") {
  CHECK(unmet("{test.greedy: '> 0.5'}", {{"test", {{"greedy", 0.9}}}}) == "");
  CHECK(unmet("{test.greedy: '> 0.5'}", {{"test.greedy", 0.9}}) == "");
  CHECK(unmet("{test.greedy: '> 0.5'}", {{"test", 1}}) ==
        "expected test.greedy > 0.5, but there is no metric 'test.greedy'");
}

TEST_CASE("a metric below others may have dots in its name", "[spec]") {
  const Json metrics = {{"groups", {{"density", {{"0.5", 0.9}}}, {"a", 1}, {"a.b", {{"c", 2}}}}}};
  CHECK(unmet("{groups.density.0.5: '> 0.5'}", metrics) == "");
  CHECK(unmet("{groups.a.b.c: 2}", metrics) == "");
  CHECK(unmet("{groups.density.0: 1}", metrics) ==
        "expected groups.density.0 == 1, but there is no metric 'groups.density.0'");
}

TEST_CASE("an expectation on a missing metric is not met, with a suggestion", "[spec]") {
  CHECK(unmet("{acuracy: '> 0.5'}", {{"accuracy", 0.9}}) ==
        "expected acuracy > 0.5, but there is no metric 'acuracy'; did you mean 'accuracy'?");
  CHECK(unmet("{x: 1}", Json::array()) == "expected x == 1, but there is no metric 'x'");
  CHECK(unmet("{x: '!= 1'}", nullptr) == "expected x != 1, but there is no metric 'x'");
}

TEST_CASE("a value that is not a number is neither greater nor less than one", "[spec]") {
  for (const Json& value :
       {Json("2"), Json(nullptr), Json(true), Json::array({1}), Json::object()}) {
    CHECK_FALSE(holds("< 3", value));
    CHECK_FALSE(holds(">= 0", value));
    CHECK_FALSE(holds("== 3", value));
    CHECK(holds("!= 3", value));
  }
}

TEST_CASE("a comparison without a number is refused", "[spec]") {
  CHECK(complaints("{a: '>= high'}") ==
        "y:1:5: stage 's': expected a number after '>=' in '>= high'");
  CHECK(complaints("{a: '<'}") == "y:1:5: stage 's': expected a number after '<' in '<'");
  CHECK(complaints("{a: '=='}") == "y:1:5: stage 's': expected a number after '==' in '=='");
  CHECK(complaints("{a: '>== 3'}") == "y:1:5: stage 's': expected a number after '>=' in '>== 3'");
}

TEST_CASE("an expectation may warn", "[spec]") {
  Diagnostics diagnostics;
  const auto expectations =
      parse("{a: {warn: '>= 3'}, b: ['> 0', {warn: ['< 5', '< 9']}]}", diagnostics);
  CHECK(diagnostics.text() == "");
  std::vector<std::pair<std::string, bool>> read;
  for (const Expectation& one : expectations) read.emplace_back(one.text(), one.warns);
  CHECK(read == std::vector<std::pair<std::string, bool>>{
                    {"a >= 3", true}, {"b > 0", false}, {"b < 5", true}, {"b < 9", true}});
  const UnmetExpectations none = unmet(expectations, {{"a", 3}, {"b", 1}});
  CHECK(none.failures + none.warnings == "");
  const UnmetExpectations some = unmet(expectations, {{"a", 3}, {"b", 7}});
  CHECK(some.failures == "");
  CHECK(some.warnings == "expected b < 5, got 7 (y:1:40)");
  const UnmetExpectations all = unmet(expectations, {{"a", 1}, {"b", 0}});
  CHECK(all.failures == "expected b > 0, got 0 (y:1:25)");
  CHECK(all.warnings == "expected a >= 3, got 1 (y:1:12)");
}

TEST_CASE("mistakes in an expectation that warns have their place", "[spec]") {
  CHECK(complaints("{a: {warn: '>= high'}}") ==
        "y:1:12: stage 's': expected a number after '>=' in '>= high'");
  CHECK(complaints("{a: {warm: '>= 1'}}") ==
        "y:1:6: stage 's': an expectation is a comparison such as '>= 0.99', or {warn: '>= "
        "0.99'}; it has no 'warm'");
  CHECK(complaints("{a: {}}") ==
        "y:1:5: stage 's': this expects nothing of 'a'; 'warn' is missing");
  CHECK(complaints("{a: {warn: {warn: 1}}}") ==
        "y:1:12: stage 's': an expectation is a comparison such as '>= 0.99', got a map");
}

TEST_CASE("an expectation is a scalar, or a list of scalars", "[spec]") {
  CHECK(complaints("{a: }") ==
        "y:1:2: stage 's': an expectation is a comparison such as '>= 0.99', got nothing");
  CHECK(complaints("{a: [['> 1']]}") ==
        "y:1:6: stage 's': an expectation is a comparison such as '>= 0.99', got a list");
  CHECK(complaints("[1]") ==
        "y:1:1: stage 's': 'expect' is a map from metrics to comparisons, got a list");
}

}  // namespace
}  // namespace headway
