// A model's accuracy: exact match with intervals, overall and by the groups that the data declares,
// and all wrong answers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/numerics/statistics.h"
#include "lib/numerics/table.h"
#include "lib/train/scoring.h"

namespace headway {

// Answers or tokens of a kind, and the right ones among them.
class Tally {
 public:
  void add(bool is_right) { sums_.add(is_right, 1); }
  // The tokens of a plain sequence.
  void add_sequence(std::int64_t right, std::int64_t tokens) {
    sums_.add(right, tokens);
    of_sequences_ = true;
  }
  std::int64_t count() const { return sums_.items(); }
  std::int64_t right() const { return sums_.sum(); }
  // Wilson's; of sequences, by the spread between them.
  Interval share() const {
    return of_sequences_ ? sums_.share_interval() : share_interval(right(), count());
  }

 private:
  ClusterSums sums_;
  bool of_sequences_ = false;
};

class Evaluation {
 public:
  // Scores the split, really decodes wrong samples and some right ones, and adds to the counts. All
  // splits must have the same legend, and rows of the same length.
  void add(const Transformer& model, const Split& split, ThreadTeam& team,
           const EachBatch& each = {});

  // Of sequences: problems, failures, greedy, greedy_low, greedy_high, teacher_forced,
  // token_accuracy, loss; decoded and decoded_differently: samples whose own output was computed,
  // and those of them where it is right and the prediction from the right prefix is not, or the
  // other way round. Rounding alone can bring that about. Of labels: problems, failures, accuracy,
  // accuracy_low, accuracy_high, loss. Of plain sequences, which have no answers
  // (Split::has_answers): problems, token_accuracy, token_accuracy_low, token_accuracy_high, loss.
  Json metrics() const;
  // Columns group,value,count, then greedy,low,high,teacher_forced or, for labels,
  // accuracy,low,high or, for plain sequences, token_accuracy,low,high, where tokens are counted.
  // Groups: all; those of the data; class (the right label); role (of target positions, by its
  // name) or, where the data declares no roles, position (from 0): the share of right tokens in
  // decoding, and with teacher forcing.
  Table table() const;
  // One line each: "374+814 -> 1188, predicted 0188".
  const std::vector<std::string>& failures() const { return failures_; }
  std::int64_t decoded_differently() const { return decoded_differently_; }

 private:
  struct PositionTally {
    std::string name;
    Tally greedy;
    Tally forced;
  };

  void begin(const Split& split);
  void count_groups(const Split& split, const Scores& scores);
  void count_positions(const Split& split, const Scores& scores,
                       const std::map<std::int64_t, std::vector<Token>>& decoded);
  std::map<std::int64_t, std::vector<Token>> decode(const Transformer& model, const Split& split,
                                                    const Scores& scores, ThreadTeam& team,
                                                    const EachBatch& each);
  void add_failure(const std::string& text);
  void list_failures(const Split& split, const Scores& scores,
                     const std::map<std::int64_t, std::vector<Token>>& decoded);
  std::size_t position_of(const Split& split, std::int64_t sample, std::int64_t at) const;

  TargetKind kind_ = TargetKind::kSequence;
  bool has_answers_ = true;
  std::string measure_;                           // accuracy_name
  std::vector<std::string> group_names_;          // of the data, then "class" for labels
  std::vector<std::vector<std::string>> values_;  // of each group
  std::vector<std::vector<Tally>> groups_;        // [group][value]
  bool has_roles_ = false;
  std::vector<PositionTally> positions_;  // by role, or by position
  std::int64_t problems_ = 0;
  Tally all_;
  ScoreSums sums_;
  std::int64_t decoded_ = 0;
  std::int64_t decoded_differently_ = 0;
  std::vector<std::string> failures_;
};

}  // namespace headway
