// What a model computes on its way, by the names of hooks (lib/nn/hooks.h), as arrays for other
// programs: probes, circuits, pictures.
#pragma once

#include <string>
#include <vector>

#include "lib/numerics/safetensors.h"
#include "lib/train/scoring.h"

namespace headway {

// A place where a model's activations can be seen.
struct NamedHook {
  std::string name;
  Site site;
  HookPoint point = HookPoint::kOut;
};
// Every one that a model of this shape has, in order of computation.
std::vector<NamedHook> named_hooks(const TransformerConfig& config);

// Activations of these samples, F32, by name: residual streams and what sublayers read and add
// [N, T, d], queries, keys, values and head outputs [N, T, H, D], weights [N, H, T, S], insides of
// feed-forward layers [N, T, d_ff]. Also what they belong to, I32: `inputs`, `decoder_inputs` and
// `targets`, and `input_lengths` and `decoder_lengths` [N]: what lies beyond means nothing. Names
// may be patterns, in which * is any text. Throws Error, with the names that there are, if one fits
// none.
TensorFile record_activations(const Transformer& model, const Split& split,
                              std::span<const std::int64_t> samples,
                              const std::vector<std::string>& patterns, ThreadTeam& team,
                              const EachBatch& each = {});

}  // namespace headway
