#include "lib/addition/analysis/evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/addition/addition.h"
#include "lib/nn/decoding.h"
#include "lib/train/seq2seq_batch.h"

namespace headway {
namespace {

// Wrong samples, with the model's predictions.
struct Wrong {
  std::vector<std::int64_t> samples;
  std::vector<Token> predictions;  // [samples, T]
};

Wrong decode_wrong(const Seq2Seq& model, const Seq2SeqSplit& split, const Seq2SeqScores& scores,
                   ThreadTeam& team) {
  Wrong wrong;
  for (std::size_t i = 0; i < scores.exact.size(); ++i) {
    if (!scores.exact[i]) wrong.samples.push_back(static_cast<std::int64_t>(i));
  }
  const auto length = static_cast<std::size_t>(split.target_length);
  wrong.predictions.resize(wrong.samples.size() * length);
  const std::size_t size = kScoringBatch;
  team.run((wrong.samples.size() + size - 1) / size, [&](std::size_t part) {
    const std::size_t first = part * size, count = std::min(size, wrong.samples.size() - first);
    const Seq2SeqBatch batch = make_batch(split, std::span(wrong.samples).subspan(first, count));
    const at::Tensor said =
        greedy_decode(model, batch.inputs, batch.lengths, kBos, split.target_length);  // [B, T]
    std::copy_n(said.data_ptr<Token>(), count * length,
                wrong.predictions.begin() + static_cast<std::ptrdiff_t>(first * length));
  });
  return wrong;
}

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
  const auto add = [&](const char* name, std::string value) {
    const Group group{name, std::move(value)};
    const auto place =
        std::lower_bound(groups_.begin(), groups_.end(), group,
                         [](const auto& entry, const Group& key) { return entry.first < key; });
    const auto found = place != groups_.end() && place->first == group
                           ? place
                           : groups_.insert(place, {group, {}});
    ++found->second.count;
    found->second.right += right;
  };
  ++all_.count;
  all_.right += right;
  add("leading", token_text(split.target(sample).front()));
  if (const auto parsed = parse_problem(split.input(sample))) {
    const CarryPattern carries = carry_pattern(parsed->problem);
    add("carries", std::to_string(carries.carries));
    add("chain", std::to_string(carries.longest_chain));
  }
}

void Evaluation::list_failures(const Seq2Seq& model, const Seq2SeqSplit& split,
                               const Seq2SeqScores& scores, ThreadTeam& team) {
  const Wrong wrong = decode_wrong(model, split, scores, team);
  const auto length = static_cast<std::size_t>(split.target_length);
  for (std::size_t i = 0; i < wrong.samples.size(); ++i) {
    const auto target = split.target(wrong.samples[i]);
    const auto said = std::span(wrong.predictions).subspan(i * length, length);
    std::size_t used = length;  // ignores what follows the target's end
    while (used > 0 && target[used - 1] == kPad) --used;
    const auto end = std::find(said.begin(), said.end(), kEos);
    const auto answered = std::min(used, static_cast<std::size_t>(end - said.begin()));
    failures_.push_back(fmt::format("{}={}, predicted {}",
                                    sequence_text(split.input(wrong.samples[i])),
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
      ++forced_positions_[t].count;
      forced_positions_[t].right += scores.right[at * length + t];
      ++greedy_positions_[t].count;
      ++greedy_positions_[t].right;  // corrected below for failures
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
  for (const Tally& tally : greedy_positions_) {
    positions.push_back(share_interval(tally.right, tally.count).value);
  }
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
    table.add(row_of(group.name, group.value, tally, tally));
  for (std::size_t t = 0; t < greedy_positions_.size(); ++t) {
    table.add(row_of("position", std::to_string(t), greedy_positions_[t], forced_positions_[t]));
  }
  return table;
}

}  // namespace headway
