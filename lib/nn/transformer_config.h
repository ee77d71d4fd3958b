// The shape of a transformer: an encoder with a classifier, an encoder and a decoder, or a decoder
// alone, all from the same blocks. Does not need LibTorch.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json_fields.h"
#include "lib/nn/kernels/pooling_kernel.h"
#include "lib/nn/sites.h"

namespace headway {

enum class ModelKind {
  kEncoder,         // classifies sequences
  kEncoderDecoder,  // reads one sequence and writes another
  kDecoder,         // predicts the next token of a sequence
};
enum class NormPlace {
  kPost,  // x = norm(x + sublayer(x))
  kPre,   // x = x + sublayer(norm(x)), and a norm at the end of the stack
};
enum class FeedKind {
  kRelu,
  kGelu,
  kGated,  // silu(gate) * value, as in SwiGLU
  kNone,   // attention only
};
enum class Encoding {
  kSinusoidal,  // added to tokens: waves of many lengths
  kLearned,     // added to tokens: a learned vector for each trained position
  kNone,
  kRope,      // rotates queries and keys by their positions
  kAlibi,     // a penalty on scores that grows with distance
  kRelative,  // a learned bias on scores for each range of distances
};
enum class PositionSource {
  kCounted,  // 0, 1, 2, …
  kData,     // as the dataset says
};
enum class Pooling { kMean, kMax, kMin, kLast, kMulti };
// Learned positions past the last trained one: repeat it, or use untrained vectors.
enum class Beyond { kClamp, kUntrained };
// Of attention that sees both ways. Causal attention only looks back, with the slopes of
// kSymmetric.
enum class AlibiShape {
  kSymmetric,    // all heads look both ways
  kDirectional,  // half of the heads look back, half ahead
};

template <>
inline constexpr std::string_view kNamesOf<ModelKind>[] = {"encoder", "encoder-decoder", "decoder"};
template <>
inline constexpr std::string_view kNamesOf<NormPlace>[] = {"post", "pre"};
template <>
inline constexpr std::string_view kNamesOf<FeedKind>[] = {"relu", "gelu", "gated", "none"};
template <>
inline constexpr std::string_view kNamesOf<Encoding>[] = {"sinusoidal", "learned", "none",
                                                          "rope",       "alibi",   "relative"};
template <>
inline constexpr std::string_view kNamesOf<PositionSource>[] = {"counted", "data"};
template <>
inline constexpr std::string_view kNamesOf<Pooling>[] = {"mean", "max", "min", "last", "multi"};
template <>
inline constexpr std::string_view kNamesOf<Beyond>[] = {"clamp", "untrained"};
template <>
inline constexpr std::string_view kNamesOf<AlibiShape>[] = {"symmetric", "directional"};

// Sizes and blocks.
struct TransformerShape {
  std::int64_t d_model = 128;
  std::int64_t n_heads = 4;
  std::int64_t n_layers = 2;  // of the encoder, and of the decoder
  std::int64_t d_ff = 512;
  double dropout = 0.1;  // of sublayer outputs, and inside feed-forward blocks
  // Of attention weights. With it, a model does not learn answers in which every token must be
  // exact.
  double attention_dropout = 0;
  NormPlace norm = NormPlace::kPost;
  FeedKind ffn = FeedKind::kRelu;

  std::int64_t head_size() const { return d_model / n_heads; }

  template <class Self, class Visit>
  static void each_field(Self& self, const Visit& visit) {
    visit("d_model", self.d_model);
    visit("n_heads", self.n_heads);
    visit("n_layers", self.n_layers);
    visit("d_ff", self.d_ff);
    visit("dropout", self.dropout);
    visit("attention_dropout", self.attention_dropout);
    visit("norm", self.norm);
    visit("ffn", self.ffn);
  }
};

// How a model knows positions.
struct PositionConfig {
  Encoding encoding = Encoding::kSinusoidal;
  PositionSource positions = PositionSource::kCounted;
  // In training, each sample's positions start at a random number up to this one.
  std::int64_t offset = 0;
  // The shortest trained sequence, and the number of trained positions, those of offsets included.
  // There are as many learned positions.
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

  template <class Self, class Visit>
  static void each_field(Self& self, const Visit& visit) {
    visit("encoding", self.encoding);
    visit("positions", self.positions);
    visit("offset", self.offset);
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

struct TransformerConfig : TransformerShape, PositionConfig {
  ModelKind kind = ModelKind::kEncoderDecoder;
  std::int64_t vocabulary = 14;      // tokens, with the markers that the model sees
  std::int64_t classes = 0;          // of an encoder
  Pooling pooling = Pooling::kMean;  // of an encoder
  // The remaining units of each site; empty: all.
  std::vector<std::vector<int>> kept;

  bool has_encoder() const { return kind != ModelKind::kDecoder; }
  bool has_decoder() const { return kind != ModelKind::kEncoder; }
  std::vector<PoolFeature> features() const;  // features of the pooling

  // In order of computation: the encoder's self-attention and feed-forward layers, then each
  // decoder layer's self-attention, cross-attention and feed-forward layer.
  std::vector<Site> sites() const;
  std::vector<int> units_of(std::size_t site) const;
  std::vector<Unit> units() const;     // all remaining, in order
  std::vector<Unit> heads() const;     // those that are heads
  std::string name(Unit unit) const;   // "decoder.1.cross.0", "decoder.1.feed"
  std::string label(Unit unit) const;  // "Decoder Cross L1 H0", "Decoder FFN L1"
  TransformerConfig without(const std::vector<Unit>& removed) const;

  // Throws Error if the values do not fit, such as d_model not being a multiple of n_heads.
  void check() const;

  template <class Self, class Visit>  // of all but the kept units
  static void each_field(Self& self, const Visit& visit) {
    visit("kind", self.kind);
    TransformerShape::each_field(self, visit);
    PositionConfig::each_field(self, visit);
    visit("vocabulary", self.vocabulary);
    visit("classes", self.classes);
    visit("pooling", self.pooling);
  }
};

// The description in files: all fields, and the units of each site. Reading throws Error or
// Json::exception with what is wrong.
Json to_json(const TransformerConfig& config);
TransformerConfig transformer_config_from(const Json& json);

}  // namespace headway
