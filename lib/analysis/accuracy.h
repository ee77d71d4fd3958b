// What share a model gets right of a split: of the samples' answers or, of plain sequences, which
// have none (Split::has_answers), of the tokens. With 95 % intervals.
#pragma once

#include <string>
#include <vector>

#include "lib/numerics/statistics.h"
#include "lib/train/scoring.h"

namespace headway {

// Of metrics and columns: "accuracy" of labels, "greedy" of answers that are sequences,
// "token_accuracy" of plain sequences.
const char* accuracy_name(const Split& split);

class Accuracy {
 public:
  Accuracy(const TransformerConfig& config, const Split& split);

  bool of_tokens() const { return !sizes_.empty(); }
  const std::string& name() const { return name_; }  // accuracy_name
  // Answers or tokens, of the scores of this split.
  std::int64_t count() const;
  std::int64_t right(const Scores& scores) const;

  // Wilson's interval; of tokens, for sequences that are drawn as a whole.
  Interval of(const Scores& scores) const;
  // What is lost from the first scores to the second, sample by sample.
  Interval drop(const Scores& before, const Scores& after) const;

 private:
  std::string name_;
  std::int64_t samples_ = 0;
  std::vector<std::int64_t> sizes_;  // of plain sequences: the tokens of each
};

}  // namespace headway
