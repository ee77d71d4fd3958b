// The shape of a sequence classifier: positional encoding and pooling. Does not need LibTorch.
#pragma once

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

template <>
inline constexpr std::string_view kNamesOf<Encoding>[] = {"sinusoidal", "learned", "none",
                                                          "rope",       "alibi",   "relative"};
template <>
inline constexpr std::string_view kNamesOf<Pooling>[] = {"mean", "max", "min", "last", "multi"};
template <>
inline constexpr std::string_view kNamesOf<Beyond>[] = {"clamp", "untrained"};
template <>
inline constexpr std::string_view kNamesOf<AlibiShape>[] = {"symmetric", "directional"};

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

  template <class Self, class Visit>
  static void each_field(Self& self, const Visit& visit) {
    TransformerShape::each_field(self, visit);
    visit("vocabulary", self.vocabulary);
    visit("classes", self.classes);
    visit("encoding", self.encoding);
    visit("pooling", self.pooling);
    visit("trained_from", self.trained_from);
    visit("trained_to", self.trained_to);
    visit("position_scale", self.position_scale);
    visit("position_seed", self.position_seed);
    visit("beyond", self.beyond);
    visit("alibi", self.alibi);
    visit("buckets", self.buckets);
    visit("farthest", self.farthest);
  }
};

// The description in files: all fields. Reading throws Error with what is wrong.
Json to_json(const ClassifierConfig& config);
ClassifierConfig classifier_config_from(const Json& json);

}  // namespace headway
