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
  // For a parameter whose value may use params: the changed ones.
  struct Reason {
    std::string text;  // "seed: 1 -> 2"
    SourceLocation location;
  };
  std::vector<Reason> because = {};
  // For a list that the store does not keep: its text now (SourcedFact::text).
  std::shared_ptr<const std::string> text = {};
};

// The facts that changed, with the changed params behind each changed text.
std::vector<Change> compare(const Record& before, const std::vector<SourcedFact>& after,
                            const std::vector<ParamReference>& references);

// The same for a stage. A default that a declared type has changed is where the type is.
std::vector<Change> compare_stage(const Record& before, const std::vector<SourcedFact>& after,
                                  const StageSpec& stage);

// A short form: "param epochs: 30 -> 40".
std::string brief(const Change& change);
// The long form: adds the source line or upstream stage and, for a fan-in, the changed members.
std::string detailed(const Change& change, Store& store);

}  // namespace headway
