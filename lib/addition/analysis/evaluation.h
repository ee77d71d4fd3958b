// A model's accuracy on addition: exact match with intervals, overall and by what makes problems
// hard, and all wrong answers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/numerics/statistics.h"
#include "lib/numerics/table.h"
#include "lib/train/scoring.h"

namespace headway {

// Counts samples of a kind, and the right ones among them.
struct Tally {
  std::int64_t count = 0;
  std::int64_t right = 0;

  void add(bool is_right) { ++count, right += is_right; }
};

class Evaluation {
 public:
  // Scores the split, decodes wrong samples, and adds to the counts.
  void add(const Seq2Seq& model, const Seq2SeqSplit& split, ThreadTeam& team,
           const EachBatch& each = {});

  Json metrics() const;
  // Columns group,value,count,greedy,low,high,teacher_forced. Groups: all; carries and chain (for
  // additions); leading (the target's first digit); position (in the target, from the left: the
  // share of right digits in decoding, and with teacher forcing).
  Table table() const;
  // One line each: "374+814=1188, predicted 0188".
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  void count(const Seq2SeqSplit& split, std::int64_t sample, bool right);
  void list_failures(const Seq2Seq& model, const Seq2SeqSplit& split, const Seq2SeqScores& scores,
                     ThreadTeam& team);

  std::map<std::pair<std::string, std::string>, Tally> groups_;  // by name and value
  std::vector<Tally> forced_positions_;                          // [T], teacher-forced
  std::vector<Tally> greedy_positions_;                          // [T]
  Tally all_;
  std::int64_t tokens_ = 0;
  std::int64_t right_tokens_ = 0;
  double loss_sum_ = 0;
  std::vector<std::string> failures_;
};

}  // namespace headway
