// A split, batch by batch on a team, without gradients: how every evaluation goes over its data.
#pragma once

#include <c10/core/GradMode.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <vector>

#include "lib/base/thread_team.h"
#include "lib/train/seq2seq_batch.h"

namespace headway {

// As many samples as fit a core's cache with all their activations.
inline constexpr std::int64_t kScoringBatch = 128;

// Called after each batch with how many samples are done, from any thread; throws to stop.
using EachBatch = std::function<void(std::int64_t)>;

// work(batch, number of its first sample) of every batch, in their order, whatever the team's size.
template <class Result, class Work>
std::vector<Result> map_batches(const Seq2SeqSplit& split, ThreadTeam& team, const EachBatch& each,
                                const Work& work) {
  const std::int64_t size = split.size();
  std::vector<Result> results(static_cast<std::size_t>((size + kScoringBatch - 1) / kScoringBatch));
  std::atomic<std::int64_t> done = 0;
  team.run(results.size(), [&](std::size_t index) {
    const c10::AutoGradMode without_gradients(false);
    const std::int64_t first = static_cast<std::int64_t>(index) * kScoringBatch;
    const Seq2SeqBatch batch = make_batch(split, first, std::min(kScoringBatch, size - first));
    results[index] = work(batch, first);
    const std::int64_t count = done += batch.inputs.size(0);
    if (each) each(count);
  });
  return results;
}

}  // namespace headway
