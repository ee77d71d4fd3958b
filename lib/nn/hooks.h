// Named points inside the model where a head's work can be seen, or replaced. A hook is an identity
// until somebody asks: ablation edits a named activation, it does not fork the model.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace headway {

struct AttentionSite;

struct HeadHooks {
  // Sees the weights [B, H, T, S] of every attention as it happens.
  std::function<void(const AttentionSite&, const at::Tensor& weights)> on_weights;
  // Gets every head's output z [B, T, H, D], before the heads are mixed, and gives what to go on
  // with.
  std::function<at::Tensor(const AttentionSite&, const at::Tensor& z)> on_output;
};

}  // namespace headway
