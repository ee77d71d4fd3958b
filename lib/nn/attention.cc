#include "lib/nn/attention.h"

namespace headway {
namespace {

using ParameterStart = ParameterShape::Start;

at::Tensor turned_by(const at::Tensor& turns, const at::Tensor& positions, const at::Tensor& x,
                     const TurnSizes& sizes) {
  return turns.defined() ? turn(x, turns, positions, sizes) : x;
}

}  // namespace

at::Tensor Attention::project_self(const at::Tensor& x, const Repeats& repeats, std::int64_t length,
                                   const AttentionPositions& positions) const {
  const at::Tensor projected =
      repeats.are_there() ? take_rows(project(repeats.distinct), repeats.numbers) : project(x);
  return turned_by(positions.turns, positions.queries, projected, {length, heads, 3, 2});
}

at::Tensor Attention::project_queries(const at::Tensor& x, std::int64_t length,
                                      const AttentionPositions& positions) const {
  return turned_by(positions.turns, positions.queries, project(x), {length, heads, 1, 1});
}

at::Tensor Attention::project_memory(const at::Tensor& x, std::int64_t length,
                                     const AttentionPositions& positions) const {
  return turned_by(positions.turns, positions.keys, memory(x), {length, heads, 2, 1});
}

void declare_linear(const std::string& prefix, std::int64_t in, std::int64_t out,
                    std::vector<ParameterShape>& shapes, std::int64_t stacked) {
  shapes.push_back({prefix + ".weight", {out, in}, ParameterStart::kXavier, stacked});
  shapes.push_back({prefix + ".bias", {out}, ParameterStart::kZero});
}

void declare_norm(const std::string& prefix, std::int64_t width,
                  std::vector<ParameterShape>& shapes) {
  shapes.push_back({prefix + ".gain", {width}, ParameterStart::kOne});
  shapes.push_back({prefix + ".bias", {width}, ParameterStart::kZero});
}

void declare_attention(const std::string& prefix, bool cross, std::int64_t width,
                       std::int64_t heads, std::int64_t head_size,
                       std::vector<ParameterShape>& shapes) {
  const std::int64_t inner = heads * head_size;
  if (cross) {
    declare_linear(prefix + ".q", width, inner, shapes);
    declare_linear(prefix + ".kv", width, 2 * inner, shapes, 2);
  } else {
    declare_linear(prefix + ".qkv", width, 3 * inner, shapes, 3);
  }
  declare_linear(prefix + ".out", inner, width, shapes);
}

Linear linear_of(const Replica& parameters, const std::string& prefix) {
  return {parameters.weight(prefix + ".weight"), parameters.at(prefix + ".bias")};
}

Norm norm_of(const Replica& parameters, const std::string& prefix) {
  return {parameters.at(prefix + ".gain"), parameters.at(prefix + ".bias")};
}

Attention attention_of(const Replica& parameters, const std::string& prefix, std::int64_t heads,
                       std::int64_t head_size) {
  const bool cross = parameters.contains(prefix + ".kv.weight");
  return {heads, head_size, linear_of(parameters, prefix + (cross ? ".q" : ".qkv")),
          cross ? linear_of(parameters, prefix + ".kv") : Linear(),
          linear_of(parameters, prefix + ".out")};
}

}  // namespace headway
