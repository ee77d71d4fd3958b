// Data, batch by batch on a team, without gradients: how every evaluation goes over it.
#pragma once

#include <c10/core/GradMode.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <vector>

#include "lib/numerics/thread_team.h"
#include "lib/train/seq2seq_batch.h"

namespace headway {

// As many samples as fit a core's cache with all their activations.
inline constexpr std::int64_t kScoringBatch = 128;

// Called after each batch with how many samples are done, from any thread; throws to stop.
using EachBatch = std::function<void(std::int64_t)>;

// work(first, count) of every stretch of `step` of `size` samples, in their order, whatever the
// team's size.
template <class Result, class Work>
std::vector<Result> map_stretches(std::int64_t size, std::int64_t step, ThreadTeam& team,
                                  const EachBatch& each, const Work& work) {
  std::vector<Result> results(static_cast<std::size_t>((size + step - 1) / step));
  std::atomic<std::int64_t> done = 0;
  team.run(results.size(), [&](std::size_t index) {
    const c10::AutoGradMode without_gradients(false);
    const std::int64_t first = static_cast<std::int64_t>(index) * step;
    const std::int64_t count = std::min(step, size - first);
    results[index] = work(first, count);
    const std::int64_t all = done += count;
    if (each) each(all);
  });
  return results;
}

// work(batch, number of its first sample) of every batch of a split.
template <class Result, class Work>
std::vector<Result> map_batches(const Seq2SeqSplit& split, ThreadTeam& team, const EachBatch& each,
                                const Work& work) {
  return map_stretches<Result>(split.size(), kScoringBatch, team, each,
                               [&](std::int64_t first, std::int64_t count) {
                                 return work(make_batch(split, first, count), first);
                               });
}

}  // namespace headway
