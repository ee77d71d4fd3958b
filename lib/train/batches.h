// Batches for models from the samples of datasets, and the evaluation of data in batches on a team.
//
// Which tokens a model reads and which it should answer with depends on its kind and on the data:
//
//     encoder           reads the input; answers with the label
//     encoder-decoder   reads the input; fed bos and the target, answers with the target
//     decoder           fed input, bos and target, answers with the target; or, of data without
//                       targets, fed bos and the input, answers with the input
//
// A decoder also predicts the input tokens that the data asks for. An answer's positions are those
// of the target (of data without targets: of the input), and one for a label.
#pragma once

#include <c10/core/GradMode.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "lib/data/dataset.h"
#include "lib/nn/transformer.h"
#include "lib/numerics/random.h"
#include "lib/numerics/thread_team.h"

namespace headway {

// Rows are as long as the longest of these samples. `offsets`, of each sample, are added to its
// positions; empty: none.
Batch make_batch(const TransformerConfig& config, const Split& split,
                 std::span<const std::int64_t> samples, std::span<const std::int32_t> offsets = {});
// Samples first .. first + count - 1.
Batch make_batch(const TransformerConfig& config, const Split& split, std::int64_t first,
                 std::int64_t count);

// The positions of an answer: 1 for labels.
std::int64_t answer_length(const Split& split);
// Where in `Batch::targets` a sample's answer begins.
std::int64_t answer_begin(const TransformerConfig& config, const Split& split, std::int64_t sample);
// The number of targets that these samples ask for.
std::int64_t asked_count(const TransformerConfig& config, const Split& split,
                         std::span<const std::int64_t> samples);
// Of the longest sequence that the model reads or writes for this sample.
std::int64_t sequence_length(const TransformerConfig& config, const Split& split,
                             std::int64_t sample);
// A position that no token of the split reaches: what `Checkpoint::model` needs. Without offsets.
std::int64_t positions_needed(const TransformerConfig& config, const Split& split);

// Throws Error if such a model cannot answer such data.
void check_fits(const TransformerConfig& config, const Split& split);

// Samples in random order; of different lengths, with similar ones within each batch.
std::vector<std::int64_t> training_order(const Split& split, std::int64_t batch,
                                         RandomStream random);
// All samples, shortest first.
std::vector<std::int64_t> order_by_length(const Split& split);

// The number of samples whose activations fit a core's cache.
std::int64_t scoring_batch(const Split& split);

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

// Calls work(samples) for batches of a split, shortest samples first, and add(result) for each
// result in order, whatever the team's size, as soon as those before it are added: only few wait.
template <class Result, class Work, class Add>
void add_batches(const Split& split, ThreadTeam& team, const EachBatch& each, const Work& work,
                 const Add& add) {
  const std::vector<std::int64_t> order = order_by_length(split);
  const std::int64_t step = scoring_batch(split);
  std::mutex mutex;
  std::map<std::int64_t, Result> waiting;  // by their first sample
  std::int64_t next = 0;                   // the first sample of the result to add next
  struct Nothing {};
  map_stretches<Nothing>(
      split.size(), step, team, each, [&](std::int64_t first, std::int64_t count) {
        Result result = work(std::span(order).subspan(static_cast<std::size_t>(first),
                                                      static_cast<std::size_t>(count)));
        const std::lock_guard lock(mutex);
        waiting.emplace(first, std::move(result));
        for (; !waiting.empty() && waiting.begin()->first == next; next += step) {
          add(waiting.begin()->second);
          waiting.erase(waiting.begin());
        }
        return Nothing();
      });
}

}  // namespace headway
