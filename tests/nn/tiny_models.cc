#include "tests/nn/tiny_models.h"

#include <ATen/ops/empty.h>

#include "tests/nn/support.h"

namespace headway::testing {
namespace {

std::vector<std::string> numbered(std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

at::Tensor random_tokens(std::int64_t size, std::int64_t length, std::int64_t vocabulary,
                         RandomStream& random) {
  at::Tensor tokens = at::empty({size, length}, at::kInt);
  auto* out = tokens.data_ptr<std::int32_t>();
  for (std::int64_t i = 0; i < tokens.numel(); ++i)
    out[i] = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(vocabulary)));
  return tokens;
}

// Each sample's positions grow by 1 to 3.
at::Tensor random_positions(std::int64_t size, std::int64_t length, RandomStream& random) {
  at::Tensor positions = at::empty({size, length}, at::kInt);
  auto* out = positions.data_ptr<std::int32_t>();
  for (std::int64_t sample = 0; sample < size; ++sample) {
    auto next = static_cast<std::int32_t>(random.below(3));
    for (std::int64_t i = 0; i < length; ++i) {
      *out++ = next;
      next += 1 + static_cast<std::int32_t>(random.below(3));
    }
  }
  return positions;
}

// The first sample has the whole length.
at::Tensor random_lengths(std::int64_t size, std::int64_t longest, RandomStream& random) {
  at::Tensor lengths = at::empty({size}, at::kInt);
  auto* out = lengths.data_ptr<std::int32_t>();
  for (std::int64_t i = 0; i < size; ++i)
    out[i] = static_cast<std::int32_t>(
        i == 0 ? longest
               : 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(longest))));
  return lengths;
}

}  // namespace

TransformerConfig tiny_config(ModelKind kind, std::int64_t layers) {
  TransformerConfig config;
  config.kind = kind;
  config.d_model = 8;
  config.n_heads = 2;
  config.n_layers = layers;
  config.d_ff = 12;
  config.dropout = 0;
  config.trained_to = 6;
  config.buckets = 8;
  config.farthest = 16;
  if (kind == ModelKind::kEncoder) {
    config.vocabulary = 10;
    config.classes = 2;
  }
  return config;
}

TransformerConfig tiny_config(ModelKind kind, Encoding encoding, std::int64_t layers) {
  TransformerConfig config = tiny_config(kind, layers);
  config.encoding = encoding;
  return config;
}

Checkpoint random_checkpoint(const TransformerConfig& config, std::uint64_t seed) {
  Checkpoint checkpoint{config, numbered(config.vocabulary), numbered(config.classes),
                        Parameters(parameter_shapes(config))};
  checkpoint.parameters.flat().copy_(draw({checkpoint.parameters.flat().numel()}, seed));
  return checkpoint;
}

Batch random_batch(const TransformerConfig& config, std::int64_t size, std::int64_t inputs,
                   std::int64_t fed, std::uint64_t seed) {
  RandomStream random(seed);
  const bool gives_positions = config.positions == PositionSource::kData;
  Batch batch;
  if (config.has_encoder()) {
    batch.inputs = random_tokens(size, inputs, config.vocabulary, random);
    batch.lengths = random_lengths(size, inputs, random);
    if (gives_positions) batch.input_positions = random_positions(size, inputs, random);
  }
  if (config.has_decoder()) {
    batch.fed = random_tokens(size, fed, config.vocabulary, random);
    if (gives_positions) batch.fed_positions = random_positions(size, fed, random);
    batch.targets = random_tokens(size, fed, config.vocabulary, random);
  } else {
    batch.targets = random_tokens(size, 1, config.classes, random).flatten();
  }
  return batch;
}

at::Tensor logits_of(const Checkpoint& checkpoint, const Batch& batch) {
  DropoutStream none;
  return checkpoint.model(kLongest).forward(batch, none);
}

std::vector<std::string> names_of(const TransformerConfig& config, const std::vector<Unit>& units) {
  std::vector<std::string> names;
  for (const Unit& unit : units) names.push_back(config.name(unit));
  return names;
}

std::string bytes_of(const Parameters& parameters) {
  const at::Tensor& flat = parameters.flat();
  return {reinterpret_cast<const char*>(flat.data_ptr<float>()),
          static_cast<std::size_t>(flat.numel()) * sizeof(float)};
}

}  // namespace headway::testing
