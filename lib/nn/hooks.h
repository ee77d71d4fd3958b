// Hooks to observe or replace the work of heads, such as for ablation. Without them nothing
// changes.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace headway {

struct AttentionSite;

struct HeadHooks {
  // Called with the weights [B, H, T, S] of every attention.
  std::function<void(const AttentionSite&, const at::Tensor& weights)> on_weights;
  // Called with all heads' outputs z [B, T, H, D] before they are mixed; returns what to use
  // instead.
  std::function<at::Tensor(const AttentionSite&, const at::Tensor& z)> on_output;
};

}  // namespace headway
