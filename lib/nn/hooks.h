// Named points of a computation where activations can be seen and changed, in the manner of
// TransformerLens: `encoder.0.self.z`, `decoder.1.resid_post`. Without hooks nothing changes.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <initializer_list>
#include <set>
#include <string>

#include "lib/nn/sites.h"

namespace headway {

enum class HookPoint {
  kResidPre,   // residual stream before a block, [B, T, d]
  kIn,         // what a sublayer reads, [B, T, d]; with pre-norm, after the norm
  kQ,          // queries of an attention, [B, T, H, D]; with rope, after the turn, as keys
  kK,          // keys, [B, S, H, D]
  kV,          // values, [B, S, H, D]
  kWeights,    // attention weights, [B, H, T, S]
  kZ,          // each head's output before they are mixed, [B, T, H, D]
  kHidden,     // inside a feed-forward layer, after the activation, [B, T, d_ff]
  kOut,        // what a sublayer adds to the residual stream, [B, T, d]
  kResidPost,  // residual stream after a block, [B, T, d]
};
template <>
inline constexpr std::string_view kNamesOf<HookPoint>[] = {
    "resid_pre", "in", "q", "k", "v", "weights", "z", "hidden", "out", "resid_post"};

// "encoder.0.self.q"; "encoder.0.resid_pre" for the two points of a block.
std::string hook_name(const Site& site, HookPoint point);

struct Hooks {
  // Called at the chosen points. May change the tensor in place or assign another of the same
  // shape: the computation goes on with it. Without gradients only.
  std::function<void(const Site&, HookPoint, at::Tensor&)> visit;

  Hooks() = default;
  Hooks(std::initializer_list<HookPoint> points,
        std::function<void(const Site&, HookPoint, at::Tensor&)> call)
      : visit(std::move(call)) {
    for (const HookPoint point : points) points_ |= bit(point);
  }
  Hooks(const std::set<HookPoint>& points,
        std::function<void(const Site&, HookPoint, at::Tensor&)> call)
      : visit(std::move(call)) {
    for (const HookPoint point : points) points_ |= bit(point);
  }
  static Hooks everywhere(std::function<void(const Site&, HookPoint, at::Tensor&)> call);

  bool wants(HookPoint point) const { return (points_ & bit(point)) != 0; }
  // Shows a tensor at a point as `shape`, and takes over what the hook makes of it. Returns whether
  // it was changed.
  bool pass(const Site& site, HookPoint point, at::IntArrayRef shape, at::Tensor& value) const;

 private:
  static std::uint32_t bit(HookPoint point) { return 1U << static_cast<unsigned>(point); }

  std::uint32_t points_ = 0;
};

}  // namespace headway
