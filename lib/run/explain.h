// Why a stage must run: the facts of the last good result against those of now.
#pragma once

#include <string>
#include <vector>

#include "lib/run/facts.h"

namespace headway {

struct Change {
  FactKind kind = FactKind::kUnknown;
  std::string fact;    // its name: "param epochs"
  std::string before;  // empty: it was not there
  std::string after;   // empty: it is gone
  SourceLocation location;
  std::string upstream;
  // Of a text that params were written into: those that changed, "seed: 1 -> 2", and the same with
  // its place.
  std::vector<std::string> because = {};
  std::vector<std::string> because_at = {};
};

std::vector<Change> compare(const std::vector<Fact>& before, const std::vector<SourcedFact>& after);
// The same, and the changed params behind each changed text.
std::vector<Change> compare(const Record& before, const std::vector<SourcedFact>& after,
                            const std::vector<ParamReference>& references);

// "param epochs: 30 -> 40": a few words.
std::string brief(const Change& change);
// The same with the line in the file or the stage it comes from, and for a fan-in, the members that
// changed.
std::string detailed(const Change& change, Store& store);

}  // namespace headway
