#include "tests/nn/tiny_classifiers.h"

#include <algorithm>

#include "tests/nn/support.h"

namespace headway::testing {

ClassifierConfig tiny_classifier(Encoding encoding, Pooling pooling, std::int64_t layers) {
  ClassifierConfig config;
  config.d_model = 8;
  config.n_heads = 2;
  config.n_layers = layers;
  config.d_ff = 12;
  config.dropout = 0;
  config.vocabulary = 10;
  config.encoding = encoding;
  config.pooling = pooling;
  config.trained_to = 6;
  config.buckets = 8;
  config.farthest = 16;
  return config;
}

ClassifierCheckpoint random_classifier(const ClassifierConfig& config, std::uint64_t seed) {
  ClassifierCheckpoint checkpoint{config, Parameters(parameter_shapes(config))};
  checkpoint.parameters.flat().copy_(draw({checkpoint.parameters.flat().numel()}, seed));
  return checkpoint;
}

LabelledSequences labelled(const std::vector<std::vector<std::int32_t>>& sequences) {
  LabelledSequences all;
  for (const auto& sequence : sequences) {
    all.width = std::max(all.width, static_cast<std::int64_t>(sequence.size()));
  }
  for (const auto& sequence : sequences) {
    append_sequence(sequence, std::is_sorted(sequence.begin(), sequence.end()) ? 1 : 0, all);
  }
  return all;
}

LabelledSequences random_sequences(std::int64_t count, std::int64_t from, std::int64_t to,
                                   std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<std::vector<std::int32_t>> sequences;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t length = random.below(static_cast<std::uint64_t>(to - from + 1));
    std::vector<std::int32_t> sequence(length + static_cast<std::uint64_t>(from));
    for (std::int32_t& value : sequence) value = static_cast<std::int32_t>(random.below(10));
    if (i % 2 == 0) std::sort(sequence.begin(), sequence.end());
    sequences.push_back(std::move(sequence));
  }
  return labelled(sequences);
}

}  // namespace headway::testing
