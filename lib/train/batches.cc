#include "lib/train/batches.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <numeric>

namespace headway {
namespace {

std::vector<std::int64_t> numbers_from(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

std::int32_t length_of(std::span<const Token> row, Token pad) {
  return static_cast<std::int32_t>(std::find(row.begin(), row.end(), pad) - row.begin());
}

// Stable for equal lengths.
void sort_by_length(const LabelledSequences& sequences, std::vector<std::int64_t>& samples) {
  std::ranges::stable_sort(samples, {}, [&](std::int64_t sample) {
    return sequences.lengths[static_cast<std::size_t>(sample)];
  });
}

}  // namespace

Seq2SeqBatch make_batch(const Seq2SeqSplit& split, std::span<const std::int64_t> samples) {
  const auto count = static_cast<std::int64_t>(samples.size());
  Seq2SeqBatch batch;
  batch.inputs = at::empty({count, split.input_length}, at::kInt);
  batch.fed = at::empty({count, split.target_length}, at::kInt);
  batch.targets = at::empty({count, split.target_length}, at::kInt);
  at::Tensor lengths = at::empty({count}, at::kInt);
  auto* inputs = batch.inputs.data_ptr<Token>();
  auto* fed = batch.fed.data_ptr<Token>();
  auto* targets = batch.targets.data_ptr<Token>();
  const Token pad = split.vocabulary.pad(), bos = split.vocabulary.bos();
  bool padded = false;
  for (std::int64_t row = 0; row < count; ++row) {
    const auto input = split.input(samples[static_cast<std::size_t>(row)]);
    const auto target = split.target(samples[static_cast<std::size_t>(row)]);
    inputs = std::copy(input.begin(), input.end(), inputs);
    targets = std::copy(target.begin(), target.end(), targets);
    *fed++ = bos;
    fed = std::copy(target.begin(), target.end() - 1, fed);
    const std::int32_t length = length_of(input, pad);
    lengths.data_ptr<std::int32_t>()[row] = length;
    padded |= length < split.input_length;
  }
  if (padded) batch.lengths = lengths;
  return batch;
}

Seq2SeqBatch make_batch(const Seq2SeqSplit& split, std::int64_t first, std::int64_t count) {
  return make_batch(split, numbers_from(first, count));
}

std::int64_t target_count(const Seq2SeqSplit& split, std::span<const std::int64_t> samples) {
  const Token pad = split.vocabulary.pad();
  std::int64_t count = 0;
  for (const std::int64_t sample : samples) count += length_of(split.target(sample), pad);
  return count;
}

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
  std::vector<std::int64_t> sorted = numbers_from(0, sequences.size());
  random.shuffle(std::span(sorted));
  sort_by_length(sequences, sorted);
  // Shuffles whole batches. The incomplete last batch gets samples from anywhere.
  const std::size_t size = static_cast<std::size_t>(batch), full = sorted.size() / size;
  const std::size_t left = sorted.size() - full * size;
  const std::size_t from = full == 0 ? 0 : random.below(full + 1) * size;
  const auto cut = sorted.begin() + static_cast<std::ptrdiff_t>(from);
  std::rotate(cut, cut + static_cast<std::ptrdiff_t>(left), sorted.end());
  std::vector<std::int64_t> batches = numbers_from(0, static_cast<std::int64_t>(full));
  random.shuffle(std::span(batches));
  std::vector<std::int64_t> order;
  order.reserve(sorted.size());
  for (const std::int64_t number : batches) {
    const auto first = sorted.begin() + number * batch;
    order.insert(order.end(), first, first + batch);
  }
  order.insert(order.end(), sorted.begin() + static_cast<std::ptrdiff_t>(full * size),
               sorted.end());
  return order;
}

std::vector<std::int64_t> order_by_length(const LabelledSequences& sequences) {
  std::vector<std::int64_t> order = numbers_from(0, sequences.size());
  sort_by_length(sequences, order);
  return order;
}

}  // namespace headway
