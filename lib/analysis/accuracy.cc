#include "lib/analysis/accuracy.h"

#include <numeric>

namespace headway {

const char* accuracy_name(const Split& split) {
  if (!split.has_answers()) return "token_accuracy";
  return split.kind() == TargetKind::kLabel ? "accuracy" : "greedy";
}

Accuracy::Accuracy(const TransformerConfig& config, const Split& split)
    : name_(accuracy_name(split)), samples_(split.size()) {
  if (split.has_answers()) return;
  for (std::int64_t sample = 0; sample < samples_; ++sample)
    sizes_.push_back(asked_count(config, split, std::span(&sample, 1)));
}

std::int64_t Accuracy::count() const {
  return of_tokens() ? std::accumulate(sizes_.begin(), sizes_.end(), std::int64_t{0}) : samples_;
}

std::int64_t Accuracy::right(const Scores& scores) const {
  return of_tokens() ? scores.sums.right_tokens : scores.exact_count();
}

Interval Accuracy::of(const Scores& scores) const {
  if (!of_tokens()) return share_interval(scores.exact_count(), samples_);
  ClusterSums sums;
  for (std::size_t i = 0; i < sizes_.size(); ++i) sums.add(scores.right_tokens[i], sizes_[i]);
  return sums.share_interval();
}

Interval Accuracy::drop(const Scores& before, const Scores& after) const {
  if (!of_tokens()) return paired_drop(before.exact, after.exact);
  ClusterSums sums;
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    sums.add(before.right_tokens[i] - after.right_tokens[i], sizes_[i]);
  return sums.difference_interval();
}

}  // namespace headway
