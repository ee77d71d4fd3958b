// The shape of a sequence classifier: positional encoding and pooling. Does not need LibTorch.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/nn/kernels/pooling_kernel.h"
#include "lib/nn/transformer_shape.h"

namespace headway {

enum class Encoding {
  kSinusoidal,  // added to tokens: waves of many lengths
  kLearned,     // added to tokens: a learned vector for each trained position
  kNone,
  kRope,      // rotates queries and keys by their positions
  kAlibi,     // a penalty on scores that grows with distance
  kRelative,  // a learned bias on scores for each range of distances
};
enum class Pooling { kMean, kMax, kMin, kLast, kMulti };
// Learned positions past the last trained one: repeat it, or use untrained vectors.
enum class Beyond { kClamp, kUntrained };
enum class AlibiShape {
  kSymmetric,    // all heads look both ways
  kDirectional,  // half of the heads look back, half ahead
};

// Names in files, in the order of the enumerations.
inline constexpr std::string_view kEncodingNames[] = {"sinusoidal", "learned", "none",
                                                      "rope",       "alibi",   "relative"};
inline constexpr std::string_view kPoolingNames[] = {"mean", "max", "min", "last", "multi"};
inline constexpr std::string_view kBeyondNames[] = {"clamp", "untrained"};
inline constexpr std::string_view kAlibiNames[] = {"symmetric", "directional"};

template <class Enum, std::size_t N>
std::string name_in(const std::string_view (&names)[N], Enum value) {
  return std::string(names[static_cast<std::size_t>(value)]);
}
std::size_t number_of_name(std::span<const std::string_view> names, std::string_view name);
// Throws Error that lists the names if this one is unknown.
template <class Enum, std::size_t N>
Enum value_of(const std::string_view (&names)[N], std::string_view name) {
  return static_cast<Enum>(number_of_name(names, name));
}

struct ClassifierConfig : TransformerShape {
  ClassifierConfig() { n_layers = 4; }

  std::int64_t vocabulary = 100;
  std::int64_t classes = 2;
  Encoding encoding = Encoding::kSinusoidal;
  Pooling pooling = Pooling::kMean;
  // Trained lengths. There are as many learned positions as the longest has.
  std::int64_t trained_from = 1;
  std::int64_t trained_to = 16;
  // For learned positions: initial standard deviation (that of tokens is 1), and the seed of
  // untrained ones.
  double position_scale = 0.7;
  std::uint64_t position_seed = 0;
  Beyond beyond = Beyond::kClamp;
  AlibiShape alibi = AlibiShape::kDirectional;
  // For relative positions: the number of ranges of distances, in both directions together, and the
  // distance from which all are one range.
  std::int64_t buckets = 32;
  std::int64_t farthest = 128;

  std::vector<PoolFeature> features() const;  // features of the pooling

  // Throws Error if the values do not fit, such as an odd head size for rope.
  void check() const;
};

Json to_json(const ClassifierConfig& config);
// Throws Error that begins with `name` if the JSON is not valid.
ClassifierConfig classifier_config_from(const Json& json, const std::string& name);

}  // namespace headway
