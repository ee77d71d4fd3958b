// Explains why a stage must run: compares the facts of the last good result with the current ones.
#pragma once

#include <string>
#include <vector>

#include "lib/run/facts.h"

namespace headway {

struct Change {
  FactKind kind = FactKind::kUnknown;
  std::string fact;    // the fact's name: "param epochs"
  std::string before;  // empty: the fact is new
  std::string after;   // empty: the fact was removed
  SourceLocation location;
  std::string upstream;
  // For a text that uses params: the changed params, "seed: 1 -> 2", and the same with their
  // locations.
  std::vector<std::string> because = {};
  std::vector<std::string> because_at = {};
};

std::vector<Change> compare(const std::vector<Fact>& before, const std::vector<SourcedFact>& after);
// Also gives the changed params behind each changed text.
std::vector<Change> compare(const Record& before, const std::vector<SourcedFact>& after,
                            const std::vector<ParamReference>& references);

// A short form: "param epochs: 30 -> 40".
std::string brief(const Change& change);
// The long form: adds the source line or upstream stage and, for a fan-in, the changed members.
std::string detailed(const Change& change, Store& store);

}  // namespace headway
