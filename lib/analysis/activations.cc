#include "lib/analysis/activations.h"

#include "lib/analysis/arrays.h"
#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/text.h"

namespace headway {
namespace {

bool fits_any(const std::string& name, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return matches_pattern(name, pattern); });
}

void check_patterns(const std::vector<std::string>& patterns,
                    const std::vector<std::string>& names) {
  for (const std::string& pattern : patterns) {
    if (std::ranges::none_of(
            names, [&](const std::string& name) { return matches_pattern(name, pattern); }))
      throw Error("no hook '{}'{}; there are {}", printable(pattern), did_you_mean(pattern, names),
                  join(names, ", "));
  }
}

}  // namespace

std::vector<std::string> hook_names(const TransformerConfig& config) {
  using enum HookPoint;
  std::vector<std::string> names;
  const std::vector<Site> sites = config.sites();
  for (const Site& site : sites) {
    const auto add = [&](std::initializer_list<HookPoint> points) {
      for (const HookPoint point : points) names.push_back(hook_name(site, point));
    };
    const bool begins = site.index == 0 || sites[site.index - 1].block() != site.block();
    const bool ends =
        site.index + 1 == sites.size() || sites[site.index + 1].block() != site.block();
    if (begins) add({kResidPre});
    if (site.is_feed()) {
      add({kIn, kHidden, kOut});
    } else {
      add({kIn, kQ, kK, kV, kWeights, kZ, kOut});
    }
    if (ends) add({kResidPost});
  }
  return names;
}

TensorFile record_activations(const Transformer& model, const Split& split,
                              std::span<const std::int64_t> samples,
                              const std::vector<std::string>& patterns) {
  check_patterns(patterns, hook_names(model.config()));
  const c10::AutoGradMode without_gradients(false);
  const Batch batch = make_batch(model.config(), split, samples);
  TensorFile file;
  const Hooks hooks =
      Hooks::everywhere([&](const Site& site, HookPoint point, at::Tensor& activation) {
        const std::string name = hook_name(site, point);
        if (fits_any(name, patterns)) file.arrays[name] = array_of<float>(activation);
      });
  DropoutStream none;
  model.forward(batch, none, hooks);
  const auto add = [&](const char* name, const at::Tensor& tokens) {
    if (tokens.defined()) file.arrays[name] = array_of<std::int32_t>(tokens);
  };
  add("inputs", batch.inputs);
  add("decoder_inputs", batch.fed);
  add("targets", batch.targets);
  add("input_lengths", batch.lengths);
  add("decoder_lengths", batch.fed_lengths);
  Json texts = Json::array();
  for (const std::int64_t sample : samples) texts.push_back(sample_text(split, sample));
  file.metadata["samples"] = texts.dump();
  file.metadata["tokens"] = Json(split.vocabulary().texts()).dump();
  return file;
}

}  // namespace headway
