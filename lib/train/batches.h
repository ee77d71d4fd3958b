// Tensors for models from the samples of datasets, and the evaluation of data in batches on a team.
#pragma once

#include <c10/core/GradMode.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "lib/data/labelled_sequences.h"
#include "lib/data/seq2seq_data.h"
#include "lib/nn/classifier.h"
#include "lib/nn/seq2seq.h"
#include "lib/numerics/random.h"
#include "lib/numerics/thread_team.h"

namespace headway {

Seq2SeqBatch make_batch(const Seq2SeqSplit& split, std::span<const std::int64_t> samples);
// Rows first .. first + count - 1.
Seq2SeqBatch make_batch(const Seq2SeqSplit& split, std::int64_t first, std::int64_t count);
// Rows are as long as the longest sample.
ClassifierBatch make_batch(const LabelledSequences& sequences,
                           std::span<const std::int64_t> samples);

// The number of targets in these rows that are not padding.
std::int64_t target_count(const Seq2SeqSplit& split, std::span<const std::int64_t> samples);

// All samples in random order, with similar lengths within each batch.
std::vector<std::int64_t> bucketed_order(const LabelledSequences& sequences, std::int64_t batch,
                                         RandomStream random);
// All samples, shortest first.
std::vector<std::int64_t> order_by_length(const LabelledSequences& sequences);

// Samples whose activations fit a core's cache.
inline constexpr std::int64_t kScoringBatch = 128;

// Called after each batch, from any thread, with the number of samples done; throws to stop.
using EachBatch = std::function<void(std::int64_t)>;

// Calls work(first, count) for each stretch of `step` samples, without gradients, and returns the
// results in order, whatever the team's size.
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
