// `expect`: comparisons on a stage's metrics that make a run fail loudly.
//   accuracy: ">= 0.99"     loss: ["> 0", "< 0.1"]     test.greedy: ">= 0.999"     rows: 810000
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/base/value.h"

namespace headway {

enum class Relation { kLess, kLessEqual, kEqual, kNotEqual, kGreaterEqual, kGreater };

struct Expectation {
  std::string metric;  // dotted path into the metrics
  Relation comparison = Relation::kEqual;
  Json value;  // number, text or boolean
  SourceLocation location;

  std::string text() const;  // "accuracy >= 0.99"
};

// Reads a stage's `expect`. Mistakes go to `diagnostics`, introduced by `subject` ("stage
// 'train'").
std::vector<Expectation> parse_expectations(const Value& expect, const std::string& subject,
                                            Diagnostics& diagnostics);

// Nothing if the metrics meet it; else a message: "expected accuracy >= 0.99, got 0.93".
std::optional<std::string> unmet(const Expectation& expectation, const Json& metrics);

}  // namespace headway
