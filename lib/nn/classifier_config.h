// The shape of a sequence classifier: how it knows positions, and how it makes one vector of a
// sequence. Plain data, no LibTorch.
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
  kSinusoidal,  // added to the tokens: waves of many lengths
  kLearned,     // added to the tokens: a vector of its own for each trained position
  kNone,
  kRope,      // queries and keys turned by their positions
  kAlibi,     // a penalty on scores that grows with the distance
  kRelative,  // a learned bias on scores for each range of distances
};
enum class Pooling { kMean, kMax, kMin, kLast, kMulti };
// What learned positions are past the last trained one.
enum class Beyond { kClamp, kUntrained };
enum class AlibiShape {
  kSymmetric,    // every head looks both ways
  kDirectional,  // half of the heads look back only, half ahead only
};

// Their names in files, in the order of the enumerations.
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
// An Error that lists the names where it is none of them.
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
  // Lengths it is trained on. Learned positions: as many as the longest has.
  std::int64_t trained_from = 1;
  std::int64_t trained_to = 16;
  // Of learned positions: deviation at the start (tokens have 1), and the seed of those that no
  // training reaches.
  double position_scale = 0.7;
  std::uint64_t position_seed = 0;
  Beyond beyond = Beyond::kClamp;
  AlibiShape alibi = AlibiShape::kDirectional;
  // Of relative positions: how many ranges of distances, both ways together, and the distance from
  // which on all are one range.
  std::int64_t buckets = 32;
  std::int64_t farthest = 128;

  std::vector<PoolFeature> features() const;  // of the pooling

  // Throws Error: an odd head size for rope, and the like.
  void check() const;
};

Json to_json(const ClassifierConfig& config);
// Throws Error where it is none, introduced by `name`.
ClassifierConfig classifier_config_from(const Json& json, const std::string& name);

}  // namespace headway
