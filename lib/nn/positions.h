// Positional encodings: added to tokens, rotating queries and keys, or added to scores.
#pragma once

#include <functional>

#include "lib/nn/attention.h"
#include "lib/nn/transformer_config.h"

namespace headway {

// [length, width]: sin and cos of pos / 10000^(2i / width), alternating.
at::Tensor sinusoidal_positions(std::int64_t length, std::int64_t width);

// [length, size]: cos and sin of the same angles, alternating, for rope.
at::Tensor rotary_turns(std::int64_t length, std::int64_t size);

// A head's penalty per distance, and its direction.
struct AlibiHead {
  double slope = 0;
  bool back = true;   // sees keys before the query
  bool ahead = true;  // sees keys after the query
};
// Symmetric: slopes 2^(-8 (h + 1) / H). Directional: the first half of the heads look back with
// slopes 1, 1/2, 1/4, …, the others ahead with 1, 1/4, 1/16, …
std::vector<AlibiHead> alibi_heads(std::int64_t heads, AlibiShape shape);
at::Tensor alibi_bias(const std::vector<AlibiHead>& heads, std::int64_t reach);  // [H, 2 * R - 1]

// The bucket of a key at `distance` from its query (negative: before it). In each direction near
// keys have their own buckets and farther ones share ever wider buckets, as in T5. Causal attention
// has all buckets for keys before the query, unless the data gives the positions.
std::int64_t relative_bucket(std::int64_t distance, std::int64_t buckets, std::int64_t farthest,
                             bool causal = false);

// The three attentions whose positions differ: an encoder's, a decoder's, and the one between.
enum class PositionUse { kEncoder, kDecoder, kCross };

// Declares the parameters of an encoding, for all attentions of the model.
void declare_positions(const TransformerConfig& config, std::vector<ParameterShape>& shapes);

// The positions of one kind of attention. Positions of a cross-attention mean something only if the
// data gives them: then both sequences count alike.
class Positions {
 public:
  Positions() = default;  // none
  // For positions below `longest`.
  Positions(const TransformerConfig& config, PositionUse use, const ParameterMap& parameters,
            std::int64_t longest);

  // Added to tokens at positions int32 [B, T], or at `first`, first + 1, … if those are undefined:
  // [B * T, d], [T, d], or undefined if there is nothing to add.
  at::Tensor added(const at::Tensor& positions, std::int64_t first, std::int64_t length) const;
  // For use in attention, without the positions of single samples. A learned bias is computed with
  // its graph at each call.
  AttentionPositions in_attention() const;

 private:
  // [>= longest, d]. Of learned positions that are trained and go on beyond the trained ones, it is
  // made anew by `continue_`, because they change.
  at::Tensor added_;
  std::function<at::Tensor()> continue_;
  at::Tensor turns_;    // [longest, D]
  at::Tensor bias_;     // [H, 2 * longest - 1], fixed
  at::Tensor table_;    // [buckets, H], learned
  at::Tensor buckets_;  // int64 [2 * longest - 1]
};

}  // namespace headway
