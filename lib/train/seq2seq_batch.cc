#include "lib/train/seq2seq_batch.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace headway {
namespace {

std::int32_t length_of(std::span<const Token> row, Token pad) {
  return static_cast<std::int32_t>(std::find(row.begin(), row.end(), pad) - row.begin());
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
  std::vector<std::int64_t> samples(static_cast<std::size_t>(count));
  std::iota(samples.begin(), samples.end(), first);
  return make_batch(split, samples);
}

std::int64_t target_count(const Seq2SeqSplit& split, std::span<const std::int64_t> samples) {
  const Token pad = split.vocabulary.pad();
  std::int64_t count = 0;
  for (const std::int64_t sample : samples) count += length_of(split.target(sample), pad);
  return count;
}

}  // namespace headway
