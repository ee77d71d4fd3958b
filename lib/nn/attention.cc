#include "lib/nn/attention.h"

namespace headway {
namespace {

using ParameterStart = ParameterShape::Start;

void declare_norm(const std::string& prefix, std::int64_t width,
                  std::vector<ParameterShape>& shapes) {
  shapes.push_back({prefix + ".gain", {width}, ParameterStart::kOne});
  shapes.push_back({prefix + ".bias", {width}, ParameterStart::kZero});
}

Norm norm_of(const ParameterMap& parameters, const std::string& prefix) {
  return {parameters.at(prefix + ".gain"), parameters.at(prefix + ".bias")};
}

}  // namespace

AttentionResult Attention::attend_self(const at::Tensor& x, AttentionSizes sizes,
                                       const Dropout& dropout,
                                       const AttentionPositions& positions) const {
  sizes.heads = heads;
  sizes.head_size = head_size;
  at::Tensor qkv = project(x);  // [B * T, 3 * H * D]
  if (positions.turns.defined()) qkv = turn(qkv, positions.turns, sizes);
  return self_attention(qkv, positions.bias, sizes, dropout);
}

AttentionResult Attention::attend_cross(const at::Tensor& x, const at::Tensor& keys_and_values,
                                        AttentionSizes sizes, const Dropout& dropout) const {
  sizes.heads = heads;
  sizes.head_size = head_size;
  return cross_attention(project(x), keys_and_values, sizes, dropout);
}

at::Tensor Attention::absorb(const at::Tensor& x, const at::Tensor& z,
                             const Dropout& dropout) const {
  const at::Tensor mixed = mix(z.reshape({x.size(0), heads * head_size}));  // [B * T, d]
  return add_norm(mixed, x, norm.gain, norm.bias, dropout);
}

at::Tensor FeedForward::operator()(const at::Tensor& x, DropoutStream& dropout) const {
  const at::Tensor hidden =
      linear_relu_dropout(x, widen.weight, widen.bias, dropout.next());  // [N, d_ff]
  return add_norm(narrow(hidden), x, norm.gain, norm.bias, dropout.next());
}

void declare_linear(const std::string& prefix, std::int64_t in, std::int64_t out,
                    std::vector<ParameterShape>& shapes, std::int64_t stacked) {
  shapes.push_back({prefix + ".weight", {out, in}, ParameterStart::kXavier, stacked});
  shapes.push_back({prefix + ".bias", {out}, ParameterStart::kZero});
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
  declare_norm(prefix + ".norm", width, shapes);
}

void declare_feed_forward(const std::string& prefix, std::int64_t width, std::int64_t inner,
                          std::vector<ParameterShape>& shapes) {
  declare_linear(prefix + ".in", width, inner, shapes);
  declare_linear(prefix + ".out", inner, width, shapes);
  declare_norm(prefix + ".norm", width, shapes);
}

Linear linear_of(const ParameterMap& parameters, const std::string& prefix) {
  return {parameters.at(prefix + ".weight"), parameters.at(prefix + ".bias")};
}

Attention attention_of(const ParameterMap& parameters, const std::string& prefix,
                       std::int64_t heads, std::int64_t head_size) {
  const bool cross = parameters.contains(prefix + ".kv.weight");
  return {heads,
          head_size,
          linear_of(parameters, prefix + (cross ? ".q" : ".qkv")),
          cross ? linear_of(parameters, prefix + ".kv") : Linear(),
          linear_of(parameters, prefix + ".out"),
          norm_of(parameters, prefix + ".norm")};
}

FeedForward feed_forward_of(const ParameterMap& parameters, const std::string& prefix) {
  return {linear_of(parameters, prefix + ".in"), linear_of(parameters, prefix + ".out"),
          norm_of(parameters, prefix + ".norm")};
}

}  // namespace headway
