#include "lib/train/classifier_batch.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>

namespace headway {
namespace {

std::vector<std::int64_t> all_of(const LabelledSequences& sequences) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(sequences.size()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Stable for equal lengths.
void sort_by_length(const LabelledSequences& sequences, std::vector<std::int64_t>& samples) {
  std::ranges::stable_sort(samples, {}, [&](std::int64_t sample) {
    return sequences.lengths[static_cast<std::size_t>(sample)];
  });
}

}  // namespace

ClassifierBatch make_batch(const LabelledSequences& sequences,
                           std::span<const std::int64_t> samples) {
  const auto count = static_cast<std::int64_t>(samples.size());
  std::size_t longest = 0, shortest = SIZE_MAX;
  for (const std::int64_t sample : samples) {
    longest = std::max(longest, sequences.sequence(sample).size());
    shortest = std::min(shortest, sequences.sequence(sample).size());
  }
  ClassifierBatch batch;
  batch.tokens = at::zeros({count, static_cast<std::int64_t>(longest)}, at::kInt);
  batch.labels = at::zeros({count}, at::kInt);
  at::Tensor lengths = at::zeros({count}, at::kInt);
  for (std::int64_t row = 0; row < count; ++row) {
    const std::int64_t sample = samples[static_cast<std::size_t>(row)];
    std::ranges::copy(sequences.sequence(sample), batch.tokens.data_ptr<std::int32_t>() +
                                                      row * static_cast<std::int64_t>(longest));
    batch.labels.data_ptr<std::int32_t>()[row] = sequences.labels[static_cast<std::size_t>(sample)];
    lengths.data_ptr<std::int32_t>()[row] = sequences.lengths[static_cast<std::size_t>(sample)];
  }
  if (shortest < longest) batch.lengths = lengths;
  return batch;
}

std::vector<std::int64_t> bucketed_order(const LabelledSequences& sequences, std::int64_t batch,
                                         RandomStream random) {
  std::vector<std::int64_t> sorted = all_of(sequences);
  random.shuffle(std::span(sorted));
  sort_by_length(sequences, sorted);
  // Shuffles whole batches. The incomplete last batch gets samples from anywhere.
  const std::size_t size = static_cast<std::size_t>(batch), full = sorted.size() / size;
  const std::size_t left = sorted.size() - full * size;
  const std::size_t from = full == 0 ? 0 : random.below(full + 1) * size;
  const auto cut = sorted.begin() + static_cast<std::ptrdiff_t>(from);
  std::rotate(cut, cut + static_cast<std::ptrdiff_t>(left), sorted.end());
  std::vector<std::size_t> batches(full);
  std::iota(batches.begin(), batches.end(), std::size_t{0});
  random.shuffle(std::span(batches));
  std::vector<std::int64_t> order;
  order.reserve(sorted.size());
  for (const std::size_t number : batches) {
    const auto first = sorted.begin() + static_cast<std::ptrdiff_t>(number * size);
    order.insert(order.end(), first, first + static_cast<std::ptrdiff_t>(size));
  }
  order.insert(order.end(), sorted.begin() + static_cast<std::ptrdiff_t>(full * size),
               sorted.end());
  return order;
}

std::vector<std::int64_t> order_by_length(const LabelledSequences& sequences) {
  std::vector<std::int64_t> order = all_of(sequences);
  sort_by_length(sequences, order);
  return order;
}

}  // namespace headway
