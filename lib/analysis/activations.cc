#include "lib/analysis/activations.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>

#include <map>

#include "lib/analysis/arrays.h"
#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/text.h"

namespace headway {
namespace {

using Tensors = std::map<std::string, at::Tensor>;

// The hooks that fit a pattern.
std::vector<NamedHook> chosen_hooks(const TransformerConfig& config,
                                    const std::vector<std::string>& patterns) {
  const std::vector<NamedHook> all = named_hooks(config);
  const std::vector<std::string> names = texts_of(all, &NamedHook::name);
  for (const std::string& pattern : patterns) {
    if (std::ranges::none_of(
            names, [&](const std::string& name) { return matches_pattern(name, pattern); }))
      throw Error("no hook '{}'; there are {}{}", printable(pattern), join(names, ", "),
                  did_you_mean(pattern, names));
  }
  std::vector<NamedHook> chosen;
  for (const NamedHook& hook : all) {
    if (std::ranges::any_of(patterns, [&](const std::string& pattern) {
          return matches_pattern(hook.name, pattern);
        }))
      chosen.push_back(hook);
  }
  return chosen;
}

Tensors activations_of(const Transformer& model, const Batch& batch,
                       const std::vector<NamedHook>& chosen) {
  std::set<HookPoint> points;  // what nobody asked for is not even computed
  for (const NamedHook& hook : chosen) points.insert(hook.point);
  Tensors seen;
  const Hooks hooks(points, [&](const Site& site, HookPoint point, at::Tensor& activation) {
    for (const NamedHook& hook : chosen) {
      if (hook.site.block() == site.block() && hook.point == point &&
          hook.name == hook_name(site, point))
        seen[hook.name] = activation.clone();
    }
  });
  DropoutStream none;
  model.forward(batch, none, hooks);
  return seen;
}

// Lengths of all rows, also if none is padded.
at::Tensor lengths_of(const at::Tensor& lengths, const at::Tensor& tokens) {
  return lengths.defined() ? lengths : at::full({tokens.size(0)}, tokens.size(1), at::kInt);
}

Tensors tokens_of(const Batch& batch) {
  Tensors tokens = {{"targets", batch.targets}};
  if (batch.inputs.defined()) {
    tokens["inputs"] = batch.inputs;
    tokens["input_lengths"] = lengths_of(batch.lengths, batch.inputs);
  }
  if (batch.fed.defined()) {
    tokens["decoder_inputs"] = batch.fed;
    tokens["decoder_lengths"] = lengths_of(batch.fed_lengths, batch.fed);
  }
  return tokens;
}

// One after the other, each filled up to the size of the largest. The first dimension is that of
// the samples.
at::Tensor stacked(const std::vector<at::Tensor>& parts, double filler) {
  std::vector<std::int64_t> sizes = parts.front().sizes().vec();
  for (const at::Tensor& part : parts) {
    for (std::size_t i = 1; i < sizes.size(); ++i)
      sizes[i] = std::max(sizes[i], part.size(static_cast<std::int64_t>(i)));
  }
  std::vector<at::Tensor> filled;
  for (const at::Tensor& part : parts) {
    sizes[0] = part.size(0);
    at::Tensor whole = at::full(sizes, filler, part.options());
    at::Tensor corner = whole;
    for (std::int64_t i = 1; i < part.dim(); ++i) corner = corner.narrow(i, 0, part.size(i));
    corner.copy_(part);
    filled.push_back(whole);
  }
  return at::cat(filled, 0);
}

}  // namespace

std::vector<NamedHook> named_hooks(const TransformerConfig& config) {
  using enum HookPoint;
  std::vector<NamedHook> hooks;
  const std::vector<Site> sites = config.sites();
  for (const Site& site : sites) {
    const auto add = [&](std::initializer_list<HookPoint> points) {
      for (const HookPoint point : points) hooks.push_back({hook_name(site, point), site, point});
    };
    if (begins_block(sites, site)) add({kResidPre});
    if (!site.is_feed()) {
      add({kIn, kQ, kK, kV, kWeights, kZ, kOut});
    } else if (config.units_of(site.index).empty()) {
      add({kIn, kOut});  // it was removed, and adds zeros
    } else {
      add({kIn, kHidden, kOut});
    }
    if (ends_block(sites, site)) add({kResidPost});
  }
  return hooks;
}

TensorFile record_activations(const Transformer& model, const Split& split,
                              std::span<const std::int64_t> samples,
                              const std::vector<std::string>& patterns, ThreadTeam& team,
                              const EachBatch& each) {
  const std::vector<NamedHook> chosen = chosen_hooks(model.config(), patterns);
  struct Part {
    Tensors activations;
    Tensors tokens;
  };
  const auto parts = map_stretches<Part>(
      std::ssize(samples), scoring_batch(split), team, each,
      [&](std::int64_t first, std::int64_t count) {
        const Batch batch = make_batch(
            model.config(), split,
            samples.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
        return Part{activations_of(model, batch, chosen), tokens_of(batch)};
      });
  const auto all = [&](Tensors Part::*tensors, const std::string& name, double filler) {
    std::vector<at::Tensor> found;
    for (const Part& part : parts) found.push_back((part.*tensors).at(name));
    return stacked(found, filler);
  };
  TensorFile file;
  for (const auto& [name, tensor] : parts.front().activations)
    file.arrays[name] = array_of<float>(all(&Part::activations, name, 0));
  const Token pad = model.config().has_decoder() ? split.vocabulary().pad() : 0;
  for (const auto& [name, tensor] : parts.front().tokens)
    file.arrays[name] = array_of<std::int32_t>(all(&Part::tokens, name, pad));
  Json texts = Json::array();
  for (const std::int64_t sample : samples) texts.push_back(sample_text(split, sample));
  file.metadata["samples"] = texts.dump();
  file.metadata["tokens"] = Json(split.vocabulary().texts()).dump();
  return file;
}

}  // namespace headway
