// `expect`: comparisons on a stage's metrics that make a run fail loudly.
//   accuracy: ">= 0.99"     loss: ["> 0", "< 0.1"]     test.greedy: ">= 0.999"     rows: 810000
// Some only warn:
//   accuracy: {warn: ">= 0.99"}     loss: ["> 0", {warn: "< 0.1"}]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/base/value.h"

namespace headway {

struct Expectation {
  std::string metric;  // dotted path into the metrics
  std::string sign;    // <, <=, ==, !=, >= or >
  Json value;          // number, text or boolean
  SourceLocation location;
  bool warns = false;  // if it is not met, the run says so and succeeds

  std::string text() const;  // "accuracy >= 0.99"
};

// Reads a stage's `expect`. Mistakes go to `diagnostics`, introduced by `subject` ("stage
// 'train'").
std::vector<Expectation> parse_expectations(const Value& expect, const std::string& subject,
                                            Diagnostics& diagnostics);

// What the metrics do not meet, as messages with their places; "": nothing.
struct UnmetExpectations {
  std::string failures;
  std::string warnings;
};
UnmetExpectations unmet(const std::vector<Expectation>& expectations, const Json& metrics);

// Nothing if the metrics meet it; else a message: "expected accuracy >= 0.99, got 0.93".
std::optional<std::string> unmet(const Expectation& expectation, const Json& metrics);

}  // namespace headway
