#include "lib/addition/analysis/evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/addition/addition.h"

namespace headway {
namespace {

std::vector<std::string> row_of(const std::string& group, const std::string& value,
                                const Tally& greedy, const Tally& forced) {
  const Interval interval = share_interval(greedy.right, greedy.count);
  return {group,
          value,
          std::to_string(greedy.count),
          number_text(interval.value),
          number_text(interval.low),
          number_text(interval.high),
          number_text(share_interval(forced.right, forced.count).value)};
}

}  // namespace

void Evaluation::count(const Seq2SeqSplit& split, std::int64_t sample, bool right) {
  all_.add(right);
  groups_[{"leading", token_text(split.target(sample).front())}].add(right);
  if (const auto parsed = parse_problem(split.input(sample))) {
    const CarryPattern carries = carry_pattern(parsed->problem);
    groups_[{"carries", std::to_string(carries.carries)}].add(right);
    groups_[{"chain", std::to_string(carries.longest_chain)}].add(right);
  }
}

void Evaluation::list_failures(const Seq2Seq& model, const Seq2SeqSplit& split,
                               const Seq2SeqScores& scores, ThreadTeam& team) {
  std::vector<std::int64_t> wrong;
  for (std::size_t i = 0; i < scores.exact.size(); ++i) {
    if (!scores.exact[i]) wrong.push_back(static_cast<std::int64_t>(i));
  }
  const auto predictions = map_stretches<at::Tensor>(  // [kScoringBatch, T] each
      std::ssize(wrong), kScoringBatch, team, {}, [&](std::int64_t first, std::int64_t count) {
        const auto samples = std::span(wrong).subspan(static_cast<std::size_t>(first),
                                                      static_cast<std::size_t>(count));
        const Seq2SeqBatch batch = make_batch(split, samples);
        return greedy_decode(model, batch.inputs, batch.lengths, kBos, split.target_length);
      });
  const auto length = static_cast<std::size_t>(split.target_length);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    const auto target = split.target(wrong[i]);
    const std::span said(
        predictions[i / kScoringBatch].data_ptr<Token>() + i % kScoringBatch * length, length);
    std::size_t used = length;  // ignores what follows the target's end
    while (used > 0 && target[used - 1] == kPad) --used;
    const auto end = std::find(said.begin(), said.end(), kEos);
    const auto answered = std::min(used, static_cast<std::size_t>(end - said.begin()));
    failures_.push_back(fmt::format("{}={}, predicted {}", sequence_text(split.input(wrong[i])),
                                    sequence_text(target), sequence_text(said.first(answered))));
    for (std::size_t t = 0; t < used; ++t) greedy_positions_[t].right -= said[t] != target[t];
  }
}

void Evaluation::add(const Seq2Seq& model, const Seq2SeqSplit& split, ThreadTeam& team,
                     const EachBatch& each) {
  const Seq2SeqScores scores = score(model, split, team, {}, each);
  const auto length = static_cast<std::size_t>(split.target_length);
  forced_positions_.resize(std::max(length, forced_positions_.size()));
  greedy_positions_.resize(forced_positions_.size());
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    const auto at = static_cast<std::size_t>(sample);
    count(split, sample, scores.exact[at] != 0);
    for (std::size_t t = 0; t < length; ++t) {
      if (split.target(sample)[t] == kPad) continue;
      forced_positions_[t].add(scores.right[at * length + t]);
      greedy_positions_[t].add(true);  // corrected below for failures
    }
  }
  tokens_ += scores.tokens;
  right_tokens_ += scores.right_tokens;
  loss_sum_ += scores.loss_sum;
  list_failures(model, split, scores, team);
}

Json Evaluation::metrics() const {
  const Interval greedy = share_interval(all_.right, all_.count);
  Json positions = Json::array();
  for (const Tally& tally : greedy_positions_)
    positions.push_back(share_interval(tally.right, tally.count).value);
  return {{"problems", all_.count},
          {"failures", all_.count - all_.right},
          {"greedy", greedy.value},
          {"greedy_low", greedy.low},
          {"greedy_high", greedy.high},
          {"teacher_forced", greedy.value},
          {"token_accuracy", static_cast<double>(right_tokens_) / static_cast<double>(tokens_)},
          {"loss", loss_sum_ / static_cast<double>(tokens_)},
          {"digit_accuracy", positions}};
}

Table Evaluation::table() const {
  Table table({"group", "value", "count", "greedy", "low", "high", "teacher_forced"});
  table.add(row_of("all", "", all_, all_));
  for (const auto& [group, tally] : groups_)
    table.add(row_of(group.first, group.second, tally, tally));
  for (std::size_t t = 0; t < greedy_positions_.size(); ++t)
    table.add(row_of("position", std::to_string(t), greedy_positions_[t], forced_positions_[t]));
  return table;
}

}  // namespace headway
