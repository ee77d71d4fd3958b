#include "tests/analysis/slow_removal.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <catch2/catch_test_macros.hpp>

namespace headway::testing {
namespace {

using Outputs = std::vector<at::Tensor>;  // for each site [T, U, W]

// Calls `visit` with what the units of each site give for one sample, [T, U, W], which it may
// change in place. Returns the logits.
at::Tensor run_sample(const Checkpoint& checkpoint, const Split& split, std::int64_t sample,
                      const std::function<void(const Site&, at::Tensor units)>& visit) {
  const c10::AutoGradMode without_gradients(false);
  const Hooks hooks({HookPoint::kZ, HookPoint::kOut},
                    [&](const Site& site, HookPoint point, at::Tensor& value) {
                      if (site.is_feed() != (point == HookPoint::kOut)) return;
                      visit(site, site.is_feed() ? value[0].unsqueeze(1) : value[0]);
                    });
  DropoutStream none;
  const Transformer model = checkpoint.model(positions_needed(checkpoint.config, split));
  return model.forward(make_batch(checkpoint.config, split, sample, 1), none, hooks);
}

Outputs outputs_for_sample(const Checkpoint& checkpoint, const Split& split, std::int64_t sample) {
  Outputs outputs;
  run_sample(checkpoint, split, sample,
             [&](const Site&, const at::Tensor& units) { outputs.push_back(units.clone()); });
  return outputs;
}

}  // namespace

std::int64_t unit_width(const TransformerConfig& config, const Site& site) {
  return site.is_feed() ? config.d_model : config.head_size();
}

StandIn nothing(const TransformerConfig& config) {
  return [config](std::int64_t, const Site& site, std::int64_t, std::int64_t length) {
    return at::zeros({length, unit_width(config, site)}, at::kFloat);
  };
}

StandIn means_over(const Checkpoint& checkpoint, const Split& split) {
  struct Sum {
    at::Tensor outputs;  // [U, W]
    double count = 0;
  };
  std::map<std::pair<std::size_t, std::int64_t>, Sum> sums;  // by site and position
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    const Outputs outputs = outputs_for_sample(checkpoint, split, sample);
    for (std::size_t site = 0; site < outputs.size(); ++site) {
      for (std::int64_t t = 0; t < outputs[site].size(0); ++t) {
        Sum& sum = sums[{site, t}];
        const at::Tensor here = outputs[site][t].to(at::kDouble);
        sum.outputs = sum.count > 0 ? sum.outputs + here : here;
        ++sum.count;
      }
    }
  }
  return [config = checkpoint.config, sums](std::int64_t, const Site& site, std::int64_t place,
                                            std::int64_t length) {
    at::Tensor means = at::zeros({length, unit_width(config, site)}, at::kFloat);
    for (std::int64_t t = 0; t < length; ++t) {
      const auto found = sums.find({site.index, t});
      if (found != sums.end()) means[t] = found->second.outputs[place] / found->second.count;
    }
    return means;
  };
}

StandIn outputs_of(const Checkpoint& checkpoint, const Split& split,
                   const std::vector<std::int64_t>& donors) {
  std::vector<Outputs> all;
  for (std::int64_t sample = 0; sample < split.size(); ++sample)
    all.push_back(outputs_for_sample(checkpoint, split, sample));
  return [all, donors](std::int64_t sample, const Site& site, std::int64_t place,
                       std::int64_t length) {
    const auto donor = static_cast<std::size_t>(donors.at(static_cast<std::size_t>(sample)));
    const at::Tensor& outputs = all.at(donor).at(site.index);
    at::Tensor result = at::zeros({length, outputs.size(2)}, at::kFloat);
    for (std::int64_t t = 0; t < length; ++t) result[t] = outputs[t % outputs.size(0)][place];
    return result;
  };
}

Scores scored_without(const Checkpoint& checkpoint, const Split& split,
                      const std::vector<Unit>& removed, const StandIn& stand_in) {
  const TransformerConfig& config = checkpoint.config;
  Scores scores = empty_scores(split);
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    const at::Tensor logits =
        run_sample(checkpoint, split, sample, [&](const Site& site, at::Tensor units) {
          const std::vector<int> there = config.units_of(site.index);
          for (const Unit& unit : removed) {
            if (unit.site != site.index) continue;
            const std::int64_t place = std::ranges::find(there, unit.head) - there.begin();
            units.select(1, place).copy_(stand_in(sample, site, place, units.size(0)));
          }
        });
    const std::vector<std::int64_t> one = {sample};
    scores.sums.add(
        score_logits(config, split, one, make_batch(config, split, one), logits, scores));
  }
  return scores;
}

void check_same(const Scores& a, const Scores& b) {
  CHECK(a.exact == b.exact);
  if (!a.right.empty()) CHECK(a.right == b.right);
  if (!a.answers.empty()) CHECK(a.answers == b.answers);
  CHECK(a.sums.tokens == b.sums.tokens);
  CHECK(a.sums.right_tokens == b.sums.right_tokens);
  CHECK(std::abs(a.sums.loss - b.sums.loss) < 1e-5 * (1 + std::abs(b.sums.loss)));
}

}  // namespace headway::testing
