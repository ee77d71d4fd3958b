// Multi-head attention and feed-forward blocks, post-norm: x = norm(x + sublayer(x)). A
// ParameterMap holds the weights; blocks take them by name.
#pragma once

#include "lib/nn/functions.h"
#include "lib/nn/parameters.h"

namespace headway {

struct Linear {
  at::Tensor weight;  // [out, in]
  at::Tensor bias;    // [out]

  at::Tensor operator()(const at::Tensor& x) const { return linear(x, weight, bias); }
};

struct Norm {
  at::Tensor gain;  // [d]
  at::Tensor bias;  // [d]
};

// Positional information besides the inputs; undefined: none.
struct AttentionPositions {
  at::Tensor turns;  // [>= T, D]: cosine and sine of each position's angles, for queries and keys
  at::Tensor bias;   // [H, 2 * R - 1], R >= T: added to scores by distance
};

// The heads of one attention: projections, output layer and norm. Self-attention projects to
// queries, keys and values at once; cross-attention takes keys and values from another sequence.
struct Attention {
  std::int64_t heads = 0;      // H; may be 0 after pruning
  std::int64_t head_size = 0;  // D
  Linear project;              // self: [3 * H * D, d]; cross: [H * D, d], queries only
  Linear memory;               // cross: keys and values, [2 * H * D, d]
  Linear mix;                  // [d, H * D]
  Norm norm;

  // x [B * T, d] -> z [B, T, H, D].
  AttentionResult attend_self(const at::Tensor& x, AttentionSizes sizes, const Dropout& dropout,
                              const AttentionPositions& positions = {}) const;
  AttentionResult attend_cross(const at::Tensor& x, const at::Tensor& keys_and_values,
                               AttentionSizes sizes, const Dropout& dropout) const;
  // norm(x + dropout(mix(z))): [B * T, d].
  at::Tensor absorb(const at::Tensor& x, const at::Tensor& z, const Dropout& dropout) const;
};

struct FeedForward {
  Linear widen;   // [d_ff, d]
  Linear narrow;  // [d, d_ff]
  Norm norm;

  at::Tensor operator()(const at::Tensor& x, DropoutStream& dropout) const;
};

// Declare the parameters of these blocks under a prefix, and make the blocks from such parameters.
void declare_attention(const std::string& prefix, bool cross, std::int64_t width,
                       std::int64_t heads, std::int64_t head_size,
                       std::vector<ParameterShape>& shapes);
void declare_feed_forward(const std::string& prefix, std::int64_t width, std::int64_t inner,
                          std::vector<ParameterShape>& shapes);
void declare_linear(const std::string& prefix, std::int64_t in, std::int64_t out,
                    std::vector<ParameterShape>& shapes, std::int64_t stacked = 1);

Linear linear_of(const ParameterMap& parameters, const std::string& prefix);
Attention attention_of(const ParameterMap& parameters, const std::string& prefix,
                       std::int64_t heads, std::int64_t head_size);
FeedForward feed_forward_of(const ParameterMap& parameters, const std::string& prefix);

}  // namespace headway
