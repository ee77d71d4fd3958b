#include "lib/extrapolation/analysis/extrapolation.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/numerics/statistics.h"

namespace headway {
namespace {

// "… 38 41 40 43 …": the two values out of order, and one on either side.
std::string values_around(std::span<const Token> sequence, std::int64_t place) {
  const auto last = static_cast<std::int64_t>(sequence.size()) - 1;
  const std::int64_t from = std::max<std::int64_t>(0, place - 1), to = std::min(last, place + 2);
  std::string text = from > 0 ? "…" : "";
  for (std::int64_t i = from; i <= to; ++i) {
    if (!text.empty()) text += " ";
    text += std::to_string(sequence[static_cast<std::size_t>(i)]);
  }
  return to < last ? text + " …" : text;
}

void add_interval(std::vector<std::string>& row, const Interval& interval) {
  for (const double value : {interval.value, interval.low, interval.high})
    row.push_back(number_text(value));
}

}  // namespace

void Extrapolation::add(const LengthTest& test, const Scores& scores) {
  std::int64_t count[2] = {}, right[2] = {};      // by label
  std::int64_t violated[2] = {}, missed[2] = {};  // within trained positions, beyond them
  for (std::size_t i = 0; i < scores.exact.size(); ++i) {
    const std::int32_t label = test.split->labels[i];
    ++count[label];
    right[label] += scores.exact[i];
    const auto place = first_violation(test.split->input(static_cast<std::int64_t>(i)));
    if (!place) continue;
    const bool late = *place + 1 >= config_.trained_to;
    ++violated[late];
    missed[late] += !scores.exact[i];
  }
  const Interval accuracy = share_interval(right[0] + right[1], count[0] + count[1]);
  std::vector<std::string> row = {std::to_string(test.length), name_of(test.negatives),
                                  std::to_string(count[0] + count[1])};
  add_interval(row, accuracy);
  add_interval(row, share_interval(count[0] - right[0], count[0]));
  add_interval(row, share_interval(count[1] - right[1], count[1]));
  for (const bool late : {false, true}) {
    row.push_back(std::to_string(violated[late]));
    row.push_back(violated[late] > 0 ? number_text(static_cast<double>(missed[late]) /
                                                   static_cast<double>(violated[late]))
                                     : "");
  }
  row.push_back(number_text(scores.loss()));
  row.push_back(std::to_string(config_.trained_from));
  // Positions that only an offset reached are no lengths.
  row.push_back(std::to_string(config_.trained_to - config_.offset));
  table_.add(std::move(row));
  accuracies_[name_of(test.negatives)][std::to_string(test.length)] = accuracy.value;
  list_failures(test, scores);
}

void Extrapolation::list_failures(const LengthTest& test, const Scores& scores) {
  const auto confidence = [&](std::size_t i) { return scores.confidence[i]; };
  // As float, like the probabilities it is compared with.
  const auto limit = static_cast<float>(limits_.confidence);
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < scores.exact.size(); ++i) {
    if (!scores.exact[i] && confidence(i) >= limit) wrong.push_back(i);
  }
  std::ranges::stable_sort(wrong, std::greater(), confidence);
  if (wrong.size() > static_cast<std::size_t>(limits_.of_each))
    wrong.resize(static_cast<std::size_t>(limits_.of_each));
  for (const std::size_t i : wrong) {
    const auto sequence = test.split->input(static_cast<std::int64_t>(i));
    const auto text = [&](std::int32_t label) {
      return test.split->legend->classes[static_cast<std::size_t>(label)];
    };
    const auto place = first_violation(sequence);
    failures_.add({std::to_string(test.length), name_of(test.negatives), std::to_string(i),
                   text(test.split->labels[i]), text(scores.answers[i]),
                   number_text(static_cast<double>(confidence(i))),
                   place ? std::to_string(*place) : "",
                   place ? values_around(sequence, *place) : ""});
  }
}

Json Extrapolation::metrics() const {
  return {{"accuracy", accuracies_},
          {"encoding", name_of(config_.encoding)},
          {"pooling", name_of(config_.pooling)},
          {"confident_failures", failures_.size()}};
}

}  // namespace headway
