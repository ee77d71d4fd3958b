#include "lib/analysis/evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/analysis/accuracy.h"
#include "lib/base/text.h"

namespace headway {
namespace {

constexpr std::int64_t kCheckedAtLeast = 256;  // right samples that are decoded as a check

const std::vector<std::int32_t>& answer_roles(const Split& split) {
  return split.target_length > 0 ? split.target_roles : split.input_roles;
}

// What the sample should answer at a position; padding if nothing is asked for.
Token wanted_at(const Split& split, std::int64_t sample, std::int64_t at) {
  if (split.target_length > 0) return split.target(sample)[static_cast<std::size_t>(at)];
  return split.asks(sample, at) ? split.input(sample)[static_cast<std::size_t>(at)]
                                : split.vocabulary().pad();
}

std::vector<std::string> accuracy_cells(const Tally& tally) {
  const Interval interval = tally.share();
  return {std::to_string(tally.count()), number_text(interval.value), number_text(interval.low),
          number_text(interval.high)};
}

}  // namespace

void Evaluation::begin(const Split& split) {
  if (all_.count() > 0) return;
  const Legend& legend = *split.legend;
  kind_ = split.kind();
  has_answers_ = split.has_answers();
  measure_ = accuracy_name(split);
  for (const SampleGroup& group : legend.groups) {
    group_names_.push_back(group.name);
    values_.push_back(group.values);
  }
  if (kind_ == TargetKind::kLabel) {
    group_names_.emplace_back("class");
    values_.push_back(legend.classes);
    groups_.resize(values_.size());
  } else {
    groups_.resize(values_.size());
    has_roles_ = !answer_roles(split).empty();
    const std::size_t count =
        has_roles_ ? legend.roles.size() : static_cast<std::size_t>(answer_length(split));
    for (std::size_t i = 0; i < count; ++i)
      positions_.push_back({has_roles_ ? legend.roles[i] : std::to_string(i), {}, {}});
  }
  for (std::size_t group = 0; group < groups_.size(); ++group)
    groups_[group].resize(values_[group].size());
}

void Evaluation::count_groups(const Split& split, const Scores& scores) {
  for (std::size_t sample = 0; sample < scores.exact.size(); ++sample) {
    const auto add = [&](Tally& tally) {
      if (has_answers_) {
        tally.add(scores.exact[sample] != 0);
      } else {
        tally.add_sequence(scores.right_tokens[sample],
                           split.input_size(static_cast<std::int64_t>(sample)));
      }
    };
    add(all_);
    for (std::size_t group = 0; group < split.groups.size(); ++group)
      add(groups_[group][static_cast<std::size_t>(split.groups[group][sample])]);
    if (kind_ == TargetKind::kLabel)
      add(groups_.back()[static_cast<std::size_t>(split.labels[sample])]);
  }
}

// The tally of an answer's position; their number for a position without a role.
std::size_t Evaluation::position_of(const Split& split, std::int64_t sample,
                                    std::int64_t at) const {
  if (!has_roles_) return static_cast<std::size_t>(at);
  const std::int32_t role =
      answer_roles(split)[static_cast<std::size_t>(sample * answer_length(split) + at)];
  return role == kNoRole ? positions_.size() : static_cast<std::size_t>(role);
}

std::map<std::int64_t, std::vector<Token>> Evaluation::decode(const Transformer& model,
                                                              const Split& split,
                                                              const Scores& scores,
                                                              ThreadTeam& team,
                                                              const EachBatch& each) {
  std::vector<std::int64_t> samples;
  std::int64_t checked = 0;
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    const bool right = scores.exact[static_cast<std::size_t>(sample)] != 0;
    if (right && ++checked > kCheckedAtLeast) continue;
    if (is_decodable(split, sample)) samples.push_back(sample);
  }
  std::ranges::stable_sort(samples, {}, [&](std::int64_t sample) {
    return prompt_length(model.config(), split, sample);
  });
  const auto width = static_cast<std::size_t>(scores.width);
  const std::int64_t step = scoring_batch(split);
  const auto parts = map_stretches<std::vector<Token>>(
      std::ssize(samples), step, team,
      [&](std::int64_t) {
        if (each) each(split.size());  // all are scored, and this may be stopped
      },
      [&](std::int64_t first, std::int64_t count) {
        return decode_answers(model, split,
                              std::span(samples).subspan(static_cast<std::size_t>(first),
                                                         static_cast<std::size_t>(count)));
      });
  std::map<std::int64_t, std::vector<Token>> decoded;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto from = parts[i / static_cast<std::size_t>(step)].begin() +
                      static_cast<std::ptrdiff_t>(i % static_cast<std::size_t>(step) * width);
    decoded[samples[i]].assign(from, from + static_cast<std::ptrdiff_t>(width));
  }
  return decoded;
}

void Evaluation::count_positions(const Split& split, const Scores& scores,
                                 const std::map<std::int64_t, std::vector<Token>>& decoded) {
  const Token pad = split.vocabulary().pad();
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    const auto own = decoded.find(sample);
    bool own_right = true;
    std::map<std::size_t, std::pair<std::int64_t, std::int64_t>> of_sequence;  // right, all
    for (std::int64_t at = 0; at < scores.width; ++at) {
      const Token wanted = wanted_at(split, sample, at);
      if (wanted == pad) continue;
      const bool forced = scores.right[static_cast<std::size_t>(sample * scores.width + at)] != 0;
      const bool greedy =
          own == decoded.end() ? forced : own->second[static_cast<std::size_t>(at)] == wanted;
      own_right &= greedy;
      const std::size_t position = position_of(split, sample, at);
      if (position == positions_.size()) continue;
      if (!has_answers_) {
        of_sequence[position].first += forced;
        ++of_sequence[position].second;
        continue;
      }
      positions_[position].forced.add(forced);
      positions_[position].greedy.add(greedy);
    }
    for (const auto& [position, counts] : of_sequence)
      positions_[position].greedy.add_sequence(counts.first, counts.second);
    if (own == decoded.end()) continue;
    ++decoded_;
    decoded_differently_ += own_right != (scores.exact[static_cast<std::size_t>(sample)] != 0);
  }
}

// As one line, whatever tokens there are.
void Evaluation::add_failure(const std::string& text) {
  failures_.push_back(printable(text));
}

void Evaluation::list_failures(const Split& split, const Scores& scores,
                               const std::map<std::int64_t, std::vector<Token>>& decoded) {
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    const auto index = static_cast<std::size_t>(sample);
    if (scores.exact[index]) continue;
    if (kind_ == TargetKind::kLabel) {
      const auto label = static_cast<std::size_t>(scores.answers[index]);
      add_failure(fmt::format("{}, predicted {} ({:.3f})", sample_text(split, sample),
                              split.legend->classes[label], scores.confidence[index]));
      continue;
    }
    const auto own = decoded.find(sample);
    const auto width = static_cast<std::size_t>(scores.width);
    const std::span<const Token> answer =
        own != decoded.end() ? std::span(own->second)
                             : std::span(scores.answers).subspan(index * width, width);
    add_failure(fmt::format("{}, predicted {}", sample_text(split, sample),
                            split.vocabulary().spell(answer)));
  }
}

void Evaluation::add(const Transformer& model, const Split& split, ThreadTeam& team,
                     const EachBatch& each) {
  begin(split);
  const Scores scores = score(model, split, team, {}, each);
  require_numbers(scores);
  std::map<std::int64_t, std::vector<Token>> decoded;
  if (kind_ != TargetKind::kLabel) {
    if (has_answers_) decoded = decode(model, split, scores, team, each);
    count_positions(split, scores, decoded);
  }
  count_groups(split, scores);
  problems_ += split.size();
  if (has_answers_) list_failures(split, scores, decoded);
  sums_.add(scores.sums);
}

Json Evaluation::metrics() const {
  const Interval accuracy = all_.share();
  const std::string& name = measure_;
  Json metrics = {{"problems", problems_},
                  {"loss", sums_.loss / static_cast<double>(sums_.tokens)},
                  {name, accuracy.value},
                  {name + "_low", accuracy.low},
                  {name + "_high", accuracy.high}};
  if (has_answers_) metrics["failures"] = all_.count() - all_.right();
  if (kind_ == TargetKind::kLabel || !has_answers_) return metrics;
  metrics["teacher_forced"] = accuracy.value;
  metrics["token_accuracy"] =
      static_cast<double>(sums_.right_tokens) / static_cast<double>(sums_.tokens);
  metrics["decoded"] = decoded_;
  metrics["decoded_differently"] = decoded_differently_;
  return metrics;
}

Table Evaluation::table() const {
  const bool forced = measure_ == "greedy";  // has a column of its own
  std::vector<std::string> columns = {"group", "value", "count", measure_, "low", "high"};
  if (forced) columns.emplace_back("teacher_forced");
  Table table(columns);
  const auto add = [&](const std::string& group, const std::string& value, const Tally& tally,
                       const Tally& with_teacher) {
    if (tally.count() == 0) return;
    std::vector<std::string> row = {group, value};
    for (std::string& cell : accuracy_cells(tally)) row.push_back(std::move(cell));
    if (forced) row.push_back(number_text(with_teacher.share().value));
    table.add(std::move(row));
  };
  add("all", "", all_, all_);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    for (std::size_t value = 0; value < groups_[group].size(); ++value)
      add(group_names_[group], values_[group][value], groups_[group][value], groups_[group][value]);
  }
  for (const PositionTally& position : positions_)
    add(has_roles_ ? "role" : "position", position.name, position.greedy, position.forced);
  return table;
}

}  // namespace headway
