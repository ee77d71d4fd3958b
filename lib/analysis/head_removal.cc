#include "lib/analysis/head_removal.h"

#include <ATen/ops/zeros.h>

#include <algorithm>

namespace headway {
namespace {

// Positions in z of a site's heads, which are given by their original numbers.
std::vector<std::int64_t> places_of(const Seq2SeqConfig& config, std::size_t site,
                                    const std::vector<HeadId>& heads) {
  const std::vector<int> there = config.heads_of(site);
  std::vector<std::int64_t> places;
  for (const HeadId& head : heads) {
    const auto found = std::find(there.begin(), there.end(), head.head);
    if (head.site == site && found != there.end()) places.push_back(found - there.begin());
  }
  return places;
}

// 1 where there is a token and 0 at padding: float [B, T, 1, 1].
at::Tensor has_token(const at::Tensor& tokens, Token pad) {
  return tokens.ne(pad).to(at::kFloat).unsqueeze(2).unsqueeze(3);
}

// Scores one batch: a walk without the heads that `hooks` remove, with a branch at each site for
// each candidate there.
RemovalScores score_batch(const Seq2Seq& model, const Seq2SeqBatch& batch, const HeadHooks& hooks,
                          const std::vector<HeadId>& candidates, const HeadReplacement& replacement,
                          Token pad) {
  RemovalScores scores;
  scores.each.resize(candidates.size());
  DropoutStream none;
  Seq2SeqWalk walk = model.begin(batch);
  while (walk.next < model.sites().size()) {
    const AttentionSite& site = model.sites()[walk.next];
    const at::Tensor z = hooks.pass(site, model.attend(walk, none));  // [B, T, H, D]
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].site != site.index) continue;
      Seq2SeqWalk branch = walk;
      const auto place = places_of(model.config(), site.index, {candidates[i]});
      model.absorb(branch, replacement.apply(site, z, place), none);
      model.finish(branch, none, hooks);
      scores.each[i] = score_logits(model.logits(branch), batch.targets, pad);
    }
    model.absorb(walk, z, none);
  }
  scores.base = score_logits(model.logits(walk), batch.targets, pad);
  return scores;
}

}  // namespace

HeadReplacement HeadReplacement::mean_over(const Seq2Seq& model, const Seq2SeqSplit& split,
                                           ThreadTeam& team) {
  struct Sums {
    std::vector<at::Tensor> outputs;  // for each site [T, H, D]
    std::vector<at::Tensor> counts;   // for each site [T, 1, 1]: samples that have the position
  };
  const Token pad = split.vocabulary.pad();
  const auto parts =
      map_batches<Sums>(split, team, {}, [&](const Seq2SeqBatch& batch, std::int64_t) {
        const at::Tensor has_input = has_token(batch.inputs, pad);
        const at::Tensor has_target = has_token(batch.targets, pad);
        Sums sums{std::vector<at::Tensor>(model.sites().size()),
                  std::vector<at::Tensor>(model.sites().size())};
        HeadHooks hooks;
        hooks.on_output = [&](const AttentionSite& site, const at::Tensor& z) {
          const at::Tensor& present =
              site.module == AttentionModule::kEncoder ? has_input : has_target;
          sums.outputs[site.index] = z.mul(present).sum(0);
          sums.counts[site.index] = present.sum(0);
          return z;
        };
        DropoutStream none;
        model.forward(batch, none, hooks);
        return sums;
      });
  HeadReplacement replacement;
  for (std::size_t site = 0; site < model.sites().size(); ++site) {
    at::Tensor sum = parts.front().outputs[site];   // [T, H, D]
    at::Tensor count = parts.front().counts[site];  // [T, 1, 1]
    for (std::size_t part = 1; part < parts.size(); ++part) {
      sum.add_(parts[part].outputs[site]);
      count.add_(parts[part].counts[site]);
    }
    replacement.means_.push_back(sum.div_(count.clamp_min_(1)));
  }
  return replacement;
}

at::Tensor HeadReplacement::apply(const AttentionSite& site, const at::Tensor& z,
                                  const std::vector<std::int64_t>& places) const {
  if (places.empty()) return z;
  at::Tensor changed = z.clone();
  for (const std::int64_t place : places) {
    at::Tensor head = changed.select(2, place);  // [B, T, D]
    if (means_.empty()) {
      head.zero_();
    } else {
      // Means are per position of whole sequences, but a decoding step has one position.
      const at::Tensor& mean = means_[site.index];  // [T, H, D]
      TORCH_CHECK(mean.size(0) == z.size(1), "mean ablation needs sequences of the same length");
      head.copy_(mean.select(1, place).unsqueeze(0).expand_as(head));
    }
  }
  return changed;
}

HeadHooks removing(const Seq2SeqConfig& config, const std::vector<HeadId>& removed,
                   const HeadReplacement& replacement) {
  std::vector<std::vector<std::int64_t>> places;
  for (const AttentionSite& site : config.sites())
    places.push_back(places_of(config, site.index, removed));
  HeadHooks hooks;
  hooks.on_output = [places, &replacement](const AttentionSite& site, const at::Tensor& z) {
    return replacement.apply(site, z, places[site.index]);
  };
  return hooks;
}

RemovalScores score_removals(const Seq2Seq& model, const Seq2SeqSplit& split,
                             const std::vector<HeadId>& removed,
                             const std::vector<HeadId>& candidates,
                             const HeadReplacement& replacement, ThreadTeam& team,
                             const EachBatch& each) {
  const HeadHooks hooks = removing(model.config(), removed, replacement);
  const auto parts =
      map_batches<RemovalScores>(split, team, each, [&](const Seq2SeqBatch& batch, std::int64_t) {
        return score_batch(model, batch, hooks, candidates, replacement, split.vocabulary.pad());
      });
  RemovalScores scores;
  scores.each.resize(candidates.size());
  for (const RemovalScores& part : parts) {
    append(scores.base, part.base);
    for (std::size_t i = 0; i < candidates.size(); ++i) append(scores.each[i], part.each[i]);
  }
  return scores;
}

}  // namespace headway
