// Multi-head attention. A ParameterMap holds the weights; blocks take them by name.
#pragma once

#include "lib/nn/functions.h"
#include "lib/nn/hooks.h"
#include "lib/nn/repeats.h"
#include "lib/nn/weights.h"

namespace headway {

struct Linear {
  Weight weight;    // [out, in]
  at::Tensor bias;  // [out]

  bool is_there() const { return weight.values.defined(); }
  at::Tensor operator()(const at::Tensor& x) const { return linear(x, weight, bias); }
};

struct Norm {
  at::Tensor gain;  // [d]
  at::Tensor bias;  // [d]

  at::Tensor operator()(const at::Tensor& x) const { return norm(x, gain, bias); }
};

// Positional information inside an attention; undefined: none.
struct AttentionPositions {
  at::Tensor turns;    // [R, D]: cosine and sine of each position's angles, for queries and keys
  at::Tensor bias;     // [H, 2 * R - 1]: added to scores by distance
  at::Tensor queries;  // int32 [B, T]: positions, below R; undefined: counted from 0
  at::Tensor keys;     // int32 [B, S]

  ScoreBias score_bias() const { return {bias, queries, keys}; }
};

// The heads of one attention: projections and output layer. Self-attention projects to queries,
// keys and values at once; cross-attention takes keys and values from another sequence.
struct Attention {
  std::int64_t heads = 0;      // H; may be 0 after pruning
  std::int64_t head_size = 0;  // D
  Linear project;              // self: [3 * H * D, d]; cross: [H * D, d], queries only
  Linear memory;               // cross: keys and values, [2 * H * D, d]
  Linear mix;                  // [d, H * D]

  // The projections of x [B * T, d], turned by their positions: [B * T, P * H * D], with P = 3 for
  // self-attention; P = 1 for cross-attention's queries, 2 for its memory. If x has repeats, they
  // are projected once.
  at::Tensor project_self(const at::Tensor& x, const Repeats& repeats, std::int64_t length,
                          const AttentionPositions& positions) const;
  at::Tensor project_queries(const at::Tensor& x, std::int64_t length,
                             const AttentionPositions& positions) const;
  at::Tensor project_memory(const at::Tensor& x, std::int64_t length,
                            const AttentionPositions& positions) const;
};

// Declare the parameters of these blocks under a prefix, and make the blocks from such parameters.
void declare_linear(const std::string& prefix, std::int64_t in, std::int64_t out,
                    std::vector<ParameterShape>& shapes, std::int64_t stacked = 1);
void declare_norm(const std::string& prefix, std::int64_t width,
                  std::vector<ParameterShape>& shapes);
void declare_attention(const std::string& prefix, bool cross, std::int64_t width,
                       std::int64_t heads, std::int64_t head_size,
                       std::vector<ParameterShape>& shapes);

Linear linear_of(const Replica& parameters, const std::string& prefix);
Norm norm_of(const Replica& parameters, const std::string& prefix);
Attention attention_of(const Replica& parameters, const std::string& prefix, std::int64_t heads,
                       std::int64_t head_size);

}  // namespace headway
