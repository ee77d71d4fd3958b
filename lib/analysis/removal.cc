#include "lib/analysis/removal.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <numeric>

#include "lib/base/error.h"

namespace headway {
namespace {

// The units at a site that are switched off, by their places among those that are there.
using Places = std::vector<std::vector<std::int64_t>>;  // for each site

Places places_of(const TransformerConfig& config, const std::vector<Unit>& units) {
  Places places;
  for (const Site& site : config.sites()) {
    const std::vector<int> there = config.units_of(site.index);
    places.emplace_back();
    for (std::size_t place = 0; place < there.size(); ++place) {
      if (std::ranges::find(units, Unit{site.index, there[place]}) != units.end())
        places.back().push_back(static_cast<std::int64_t>(place));
    }
  }
  return places;
}

// A site's result as the outputs of its units, [B, T, U, W], where U may be 0.
at::Tensor by_units(const Transformer& model, const Walk& walk, const Site& site,
                    const at::Tensor& result) {
  const TransformerConfig& config = model.config();
  const auto units = static_cast<std::int64_t>(config.units_of(site.index).size());
  const std::int64_t width = site.is_feed() ? config.d_model : config.head_size();
  if (units == 0) return at::zeros({walk.batch, walk.length(site), 0, width}, at::kFloat);
  return result.view({walk.batch, walk.length(site), units, width});
}

// The site's result without these units, in whose place stand these outputs of all sites; the
// result itself if there are none.
at::Tensor replaced(const Transformer& model, const Walk& walk, const at::Tensor& result,
                    const std::vector<std::int64_t>& places,
                    const std::vector<at::Tensor>& outputs) {
  if (places.empty()) return result;
  const Site& site = model.sites()[walk.next];
  at::Tensor changed = result.clone();
  const at::Tensor units = by_units(model, walk, site, changed);
  for (const std::int64_t place : places) {
    const at::Tensor unit = units.select(2, place);  // [B, T, W]
    if (outputs.empty()) {
      unit.zero_();
    } else {
      unit.copy_(outputs[site.index].select(2, place).expand_as(unit));
    }
  }
  return changed;
}

// Walks over one batch, once for each of several models that lack other units. They are one walk up
// to the first site where they differ.
class Walks {
 public:
  // Called with the number of a model and its logits.
  using Finished = std::function<void(std::size_t, const at::Tensor&)>;

  Walks(const Transformer& model, const std::vector<Places>& places,
        std::vector<at::Tensor> outputs, Finished finished)
      : model_(model),
        places_(places),
        outputs_(std::move(outputs)),
        finished_(std::move(finished)) {}

  // Of these models, at least one.
  void follow(Walk walk, const std::vector<std::size_t>& numbers) const {
    DropoutStream none;
    while (walk.next < model_.sites().size()) {
      const std::size_t site = walk.next;
      std::map<std::vector<std::int64_t>, std::vector<std::size_t>> groups;  // by what they lack
      for (const std::size_t number : numbers) groups[places_[number][site]].push_back(number);
      const at::Tensor result = model_.compute(walk, none);
      if (groups.size() == 1) {
        absorb(walk, result, groups.begin()->first);
        continue;
      }
      for (const auto& [places, group] : groups) {
        Walk branch = walk;
        absorb(branch, result, places);
        follow(std::move(branch), group);
      }
      return;
    }
    const at::Tensor logits = model_.logits(walk, none);
    for (const std::size_t number : numbers) finished_(number, logits);
  }

 private:
  void absorb(Walk& walk, const at::Tensor& result, const std::vector<std::int64_t>& places) const {
    DropoutStream none;
    model_.absorb(walk, replaced(model_, walk, result, places, outputs_), none);
  }

  const Transformer& model_;
  const std::vector<Places>& places_;
  const std::vector<at::Tensor> outputs_;
  const Finished finished_;
};

// Of a site's sequence in a batch: its positions, and how many of them are no padding, int32 [B],
// or undefined: all.
std::int64_t positions_of(const Batch& batch, const Site& site) {
  return (site.is_encoder() ? batch.inputs : batch.fed).size(1);
}
const at::Tensor& lengths_of(const Batch& batch, const Site& site) {
  return site.is_encoder() ? batch.lengths : batch.fed_lengths;
}

// [B, T]: 1 where a site's sequence has a token, 0 at padding.
at::Tensor presence(const Batch& batch, const Site& site, std::int64_t samples) {
  const std::int64_t positions = positions_of(batch, site);
  const at::Tensor& lengths = lengths_of(batch, site);
  if (!lengths.defined()) return at::ones({samples, positions}, at::kFloat);
  const at::Tensor counted = at::arange(positions, at::kInt);
  return counted.unsqueeze(0).lt(lengths.unsqueeze(1)).to(at::kFloat);
}

// What the units of every site give in the complete model: [B, T, U, W] each.
std::vector<at::Tensor> unit_outputs(const Transformer& model, const Batch& batch) {
  std::vector<at::Tensor> outputs;
  DropoutStream none;
  Walk walk = model.begin(batch);
  while (walk.next < model.sites().size()) {
    const at::Tensor result = model.compute(walk, none);
    outputs.push_back(by_units(model, walk, model.sites()[walk.next], result));
    model.absorb(walk, result, none);
  }
  return outputs;
}

// The first positions of means [L, U, W], followed by zeros if there are not as many: [1, T, U, W].
at::Tensor fitted(const at::Tensor& means, std::int64_t positions) {
  at::Tensor result = at::zeros({1, positions, means.size(1), means.size(2)}, at::kFloat);
  const std::int64_t known = std::min(positions, means.size(0));
  result[0].narrow(0, 0, known).copy_(means.narrow(0, 0, known));
  return result;
}

// Outputs [B, T', U, W] that go round after each row's length: [B, T, U, W].
at::Tensor repeated(const at::Tensor& outputs, const at::Tensor& lengths, std::int64_t positions) {
  const std::int64_t rows = outputs.size(0), width = outputs.size(1);
  at::Tensor places = at::empty({rows * positions}, at::kLong);
  auto* place = places.data_ptr<std::int64_t>();
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t length = lengths.defined() ? lengths.data_ptr<std::int32_t>()[row] : width;
    for (std::int64_t t = 0; t < positions; ++t) *place++ = row * width + t % length;
  }
  const at::Tensor chosen = at::index_select(outputs.flatten(0, 1), 0, places);
  return chosen.view({rows, positions, outputs.size(2), outputs.size(3)});
}

}  // namespace

Replacement Replacement::mean_over(const Transformer& model, const Split& split, ThreadTeam& team,
                                   const EachBatch& each) {
  struct Sums {
    std::vector<at::Tensor> outputs;  // for each site [T, U, W]
    std::vector<at::Tensor> counts;   // for each site [T]: samples that have the position
  };
  const std::int64_t longest = split.input_length + split.target_length;  // of any site's sequence
  Sums all;
  const auto sum_batch = [&](std::span<const std::int64_t> samples) {
    const Batch batch = make_batch(model.config(), split, samples);
    Sums sums;
    for (const at::Tensor& outputs : unit_outputs(model, batch)) {
      const Site& site = model.sites()[sums.outputs.size()];
      const at::Tensor present = presence(batch, site, std::ssize(samples));
      sums.outputs.push_back(outputs.mul(present.unsqueeze(2).unsqueeze(3)).sum(0));
      sums.counts.push_back(present.sum(0));
    }
    return sums;
  };
  add_batches<Sums>(split, team, each, sum_batch, [&](const Sums& part) {
    for (std::size_t site = 0; site < part.outputs.size(); ++site) {
      const at::Tensor& outputs = part.outputs[site];
      if (all.outputs.size() == site) {
        all.outputs.push_back(at::zeros({longest, outputs.size(1), outputs.size(2)}, at::kFloat));
        all.counts.push_back(at::zeros({longest}, at::kFloat));
      }
      all.outputs[site].narrow(0, 0, outputs.size(0)).add_(outputs);
      all.counts[site].narrow(0, 0, outputs.size(0)).add_(part.counts[site]);
    }
  });
  Replacement replacement;
  replacement.mode_ = RemovalMode::kMean;
  for (std::size_t site = 0; site < all.outputs.size(); ++site) {
    const at::Tensor counts = all.counts[site].clamp_min(1).unsqueeze(1).unsqueeze(2);
    replacement.means_.push_back(all.outputs[site].div(counts));
  }
  return replacement;
}

Replacement Replacement::resample(std::uint64_t seed) {
  Replacement replacement;
  replacement.mode_ = RemovalMode::kResample;
  replacement.seed_ = seed;
  return replacement;
}

// Not a fixed distance apart in the split: where samples of two kinds alternate, an even distance
// would only exchange like with like.
std::vector<std::int64_t> Replacement::donors_in(const Split& split) const {
  if (mode_ != RemovalMode::kResample) return {};
  if (split.size() < 2)
    throw Error("resampling takes outputs from another sample, but the split has only one");
  std::vector<std::int64_t> circle(static_cast<std::size_t>(split.size()));
  std::iota(circle.begin(), circle.end(), 0);
  RandomStream(seed_).shuffle(std::span(circle));
  std::vector<std::int64_t> donors(circle.size());
  for (std::size_t i = 0; i < circle.size(); ++i)
    donors[static_cast<std::size_t>(circle[i])] = circle[(i + 1) % circle.size()];
  return donors;
}

std::vector<at::Tensor> Replacement::outputs_for(const Transformer& model, const Split& split,
                                                 std::span<const std::int64_t> donors,
                                                 std::span<const std::int64_t> samples,
                                                 const Batch& batch) const {
  std::vector<at::Tensor> outputs;
  if (mode_ == RemovalMode::kMean) {
    for (const Site& site : model.sites())
      outputs.push_back(fitted(means_[site.index], positions_of(batch, site)));
  } else if (mode_ == RemovalMode::kResample) {
    std::vector<std::int64_t> others;
    for (const std::int64_t sample : samples)
      others.push_back(donors[static_cast<std::size_t>(sample)]);
    const Batch donated = make_batch(model.config(), split, others);
    outputs = unit_outputs(model, donated);
    for (const Site& site : model.sites())
      outputs[site.index] =
          repeated(outputs[site.index], lengths_of(donated, site), positions_of(batch, site));
  }
  return outputs;
}

RemovalScores score_removals(const Transformer& model, const Split& split,
                             const std::vector<Unit>& removed,
                             const std::vector<std::vector<Unit>>& candidates,
                             const Replacement& replacement, ThreadTeam& team,
                             const EachBatch& each, const RemovalSearch& search) {
  const TransformerConfig& config = model.config();
  std::vector<Places> places = {places_of(config, removed)};  // of the base, then of each candidate
  for (const std::vector<Unit>& candidate : candidates) {
    std::vector<Unit> units = removed;
    units.insert(units.end(), candidate.begin(), candidate.end());
    places.push_back(places_of(config, units));
  }
  const std::vector<std::int64_t> donors = replacement.donors_in(split);
  RemovalScores scores{empty_scores(split), {}};
  Scores brief = scores.base;
  brief.right = {};
  brief.answers = {};
  scores.each.assign(candidates.size(), brief);
  const auto scores_of = [&](std::size_t number) -> Scores& {
    return number == 0 ? scores.base : scores.each[number - 1];
  };
  std::vector<std::atomic<std::int64_t>> wrong(places.size());

  const auto score_batch = [&](std::span<const std::int64_t> samples) {
    std::vector<std::size_t> numbers;
    for (std::size_t number = 0; number < places.size(); ++number) {
      if (number == 0 || wrong[number] <= search.most_wrong) numbers.push_back(number);
    }
    const Batch batch = make_batch(config, split, samples);
    std::vector<ScoreSums> sums(places.size());
    const Walks walks(model, places, replacement.outputs_for(model, split, donors, samples, batch),
                      [&](std::size_t number, const at::Tensor& logits) {
                        Scores& mine = scores_of(number);
                        sums[number] = score_logits(config, split, samples, batch, logits, mine);
                        wrong[number] += std::ranges::count_if(samples, [&](std::int64_t sample) {
                          return mine.exact[static_cast<std::size_t>(sample)] == 0;
                        });
                      });
    walks.follow(model.begin(batch), numbers);
    return sums;
  };
  add_batches<std::vector<ScoreSums>>(split, team, each, score_batch,
                                      [&](const std::vector<ScoreSums>& sums) {
                                        for (std::size_t number = 0; number < sums.size(); ++number)
                                          scores_of(number).sums.add(sums[number]);
                                      });
  require_numbers(scores.base);
  for (const Scores& without : scores.each) require_numbers(without);
  return scores;
}

}  // namespace headway
