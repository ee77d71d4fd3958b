#include "lib/nn/feed_forward.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/silu.h>

namespace headway {

at::Tensor FeedForward::hidden(const at::Tensor& x, const Dropout& dropout) const {
  if (kind == FeedKind::kRelu) return linear_relu_dropout(x, widen.weight, widen.bias, dropout);
  const at::Tensor wide = widen(x);  // [N, d_ff], or [N, 2 * d_ff]
  if (kind == FeedKind::kGelu) return add_dropped(at::gelu(wide), {}, dropout);
  const std::int64_t inner = wide.size(1) / 2;
  const at::Tensor gate = at::silu(wide.narrow(1, 0, inner)), value = wide.narrow(1, inner, inner);
  return add_dropped(at::mul(gate, value).contiguous(), {}, dropout);
}

void declare_feed_forward(const std::string& prefix, FeedKind kind, std::int64_t width,
                          std::int64_t inner, std::vector<ParameterShape>& shapes) {
  const std::int64_t stacked = kind == FeedKind::kGated ? 2 : 1;
  declare_linear(prefix + ".in", width, stacked * inner, shapes, stacked);
  declare_linear(prefix + ".out", inner, width, shapes);
}

FeedForward feed_forward_of(const Replica& parameters, const std::string& prefix, FeedKind kind) {
  return {kind, linear_of(parameters, prefix + ".in"), linear_of(parameters, prefix + ".out")};
}

}  // namespace headway
