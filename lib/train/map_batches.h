// Evaluates data in batches on a team, without gradients.
#pragma once

#include <c10/core/GradMode.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <vector>

#include "lib/numerics/thread_team.h"
#include "lib/train/seq2seq_batch.h"

namespace headway {

// Samples whose activations fit a core's cache.
inline constexpr std::int64_t kScoringBatch = 128;

// Called after each batch, from any thread, with the number of samples done; throws to stop.
using EachBatch = std::function<void(std::int64_t)>;

// Calls work(first, count) for each stretch of `step` samples and returns the results in order,
// whatever the team's size.
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

// The same with work(batch, index of its first sample) for the batches of a split.
template <class Result, class Work>
std::vector<Result> map_batches(const Seq2SeqSplit& split, ThreadTeam& team, const EachBatch& each,
                                const Work& work) {
  return map_stretches<Result>(split.size(), kScoringBatch, team, each,
                               [&](std::int64_t first, std::int64_t count) {
                                 return work(make_batch(split, first, count), first);
                               });
}

}  // namespace headway
