// Feed-forward layers: widen, activate, narrow.
#pragma once

#include "lib/nn/attention.h"
#include "lib/nn/transformer_config.h"

namespace headway {

struct FeedForward {
  FeedKind kind = FeedKind::kRelu;
  Linear widen;   // [d_ff, d]; gated: [2 * d_ff, d], the gate first
  Linear narrow;  // [d, d_ff]

  bool is_there() const { return widen.is_there(); }
  // x [N, d] -> [N, d_ff].
  at::Tensor hidden(const at::Tensor& x, const Dropout& dropout) const;
};

void declare_feed_forward(const std::string& prefix, FeedKind kind, std::int64_t width,
                          std::int64_t inner, std::vector<ParameterShape>& shapes);
FeedForward feed_forward_of(const Replica& parameters, const std::string& prefix, FeedKind kind);

}  // namespace headway
