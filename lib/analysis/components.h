// What can be switched off in a model (heads, feed-forward layers, and whole blocks), and how. Does
// not need LibTorch.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lib/nn/transformer_config.h"

namespace headway {

enum class ComponentKind { kHead, kFeed, kBlock };
template <>
inline constexpr std::string_view kNamesOf<ComponentKind>[] = {"head", "ffn", "block"};

struct Component {
  ComponentKind kind = ComponentKind::kHead;
  std::string name;   // "encoder.0.self.2", "decoder.1.feed", "decoder.1"
  std::string label;  // "Encoder L0 H2", "Decoder FFN L1", "Decoder Block L1"
  // What goes with it, in order of computation: at least one unit.
  std::vector<Unit> units;

  const Unit& first() const { return units.front(); }
  bool operator==(const Component&) const = default;
};

// What stands in for the output of a head or a feed-forward layer that is switched off.
enum class RemovalMode {
  kZero,
  kMean,      // its mean at each position
  kResample,  // its output for another sample, in the complete model
};
template <>
inline constexpr std::string_view kNamesOf<RemovalMode>[] = {"zero", "mean", "resample"};

// Of these kinds, in the order of the kinds and then of computation. What is pruned is left out.
std::vector<Component> components_of(const TransformerConfig& config,
                                     const std::vector<ComponentKind>& kinds);
std::vector<Unit> units_of(std::span<const Component> components);
// Those of each component.
std::vector<std::vector<Unit>> units_of_each(const std::vector<Component>& components);

}  // namespace headway
