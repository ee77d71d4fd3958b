// What models of every kind are fed, and what they are asked for.
#include "lib/train/batches.h"

#include <catch2/catch_test_macros.hpp>
#include <numeric>

#include "tests/nn/tiny_models.h"
#include "tests/train/tiny_data.h"

namespace headway::testing {
namespace {

using TensorRows = std::vector<std::vector<std::int32_t>>;
using Samples = std::vector<std::int64_t>;
using Offsets = std::vector<std::int32_t>;

// Of a tensor [B, T]; none if it is undefined.
TensorRows rows(const at::Tensor& tensor) {
  TensorRows all;
  if (!tensor.defined()) return all;
  const auto* row = tensor.data_ptr<std::int32_t>();
  for (std::int64_t i = 0; i < tensor.size(0); ++i, row += tensor.size(1))
    all.emplace_back(row, row + tensor.size(1));
  return all;
}
// Of a tensor [B].
std::vector<std::int32_t> values(const at::Tensor& tensor) {
  if (!tensor.defined()) return {};
  const auto* first = tensor.data_ptr<std::int32_t>();
  return {first, first + tensor.numel()};
}

TransformerConfig placed_by_data(ModelKind kind) {
  TransformerConfig config = tiny_config(kind);
  config.positions = PositionSource::kData;
  return config;
}

// Inputs of 2, 4, 3 and 1 tokens.
Split four_sequences() {
  return labelled({{5, 4}, {1, 2, 3, 4}, {7, 7, 8}, {9}});
}

TEST_CASE("a classifier reads the inputs, and its targets are the labels") {
  const Batch batch = make_batch(tiny_config(kClassifier), four_sequences(), Samples{2, 0});
  CHECK(batch.inputs.sizes() == at::IntArrayRef({2, 3}));
  CHECK(values(batch.targets) == std::vector<std::int32_t>{2, 0});
  CHECK(values(batch.lengths) == std::vector<std::int32_t>{3, 2});
  const TensorRows inputs = rows(batch.inputs);
  CHECK(inputs[0] == Tokens{7, 7, 8});
  CHECK(inputs[1][0] == 5);
  CHECK(inputs[1][1] == 4);
  // Padding is looked up in the table all the same, and a classifier has no marker there.
  CHECK(inputs[1][2] >= 0);
  CHECK(inputs[1][2] < 10);
  CHECK_FALSE(batch.fed.defined());
  CHECK_FALSE(batch.input_positions.defined());
}

TEST_CASE("a batch of equally long samples has no lengths and is as long as they are") {
  const Batch sequences =
      make_batch(tiny_config(kClassifier), labelled({{5, 4}, {1, 2, 3}, {7, 8}}), Samples{0, 2, 0});
  CHECK_FALSE(sequences.lengths.defined());
  CHECK(rows(sequences.inputs) == TensorRows{{5, 4}, {7, 8}, {5, 4}});
  CHECK(values(sequences.targets) == std::vector<std::int32_t>{0, 2, 0});

  const Split sums =
      split_of(plain_legend(), {{1}, {2}, {1, kPlus, 2}}, {{5, kEnd}, {6, kEnd}, {7, 8, kEnd}});
  const Batch batch = make_batch(tiny_config(kBoth), sums, Samples{1, 0});
  CHECK(rows(batch.inputs) == TensorRows{{2}, {1}});
  CHECK(rows(batch.fed) == TensorRows{{kBos, 6}, {kBos, 5}});
  CHECK_FALSE(batch.lengths.defined());
  CHECK_FALSE(batch.fed_lengths.defined());
}

// 3+4=7. and 9+8=17., with the end marker.
Split two_sums() {
  return split_of(plain_legend(), {{3, kPlus, 4}, {1, 9, kPlus, 8}}, {{7, kEnd}, {2, 7, kEnd}});
}

TEST_CASE("an encoder-decoder reads the input and is fed bos and the target but its last token") {
  const Batch batch = make_batch(tiny_config(kBoth), two_sums(), Samples{0, 1});
  CHECK(rows(batch.inputs) == TensorRows{{3, kPlus, 4, kPad}, {1, 9, kPlus, 8}});
  CHECK(values(batch.lengths) == std::vector<std::int32_t>{3, 4});
  CHECK(rows(batch.fed) == TensorRows{{kBos, 7, kPad}, {kBos, 2, 7}});
  CHECK(values(batch.fed_lengths) == std::vector<std::int32_t>{2, 3});
  CHECK(rows(batch.targets) == TensorRows{{7, kEnd, kPad}, {2, 7, kEnd}});
  CHECK_FALSE(batch.input_positions.defined());
  CHECK_FALSE(batch.fed_positions.defined());
}

TEST_CASE("a decoder is fed input, bos and target in one row, and asked for the target alone") {
  const Batch batch = make_batch(tiny_config(kWriter), two_sums(), Samples{0, 1});
  CHECK_FALSE(batch.inputs.defined());
  CHECK(rows(batch.fed) ==
        TensorRows{{3, kPlus, 4, kBos, 7, kPad, kPad}, {1, 9, kPlus, 8, kBos, 2, 7}});
  CHECK(values(batch.fed_lengths) == std::vector<std::int32_t>{5, 7});
  CHECK(rows(batch.targets) ==
        TensorRows{{kPad, kPad, kPad, 7, kEnd, kPad, kPad}, {kPad, kPad, kPad, kPad, 2, 7, kEnd}});
  CHECK_FALSE(batch.fed_positions.defined());
}

TEST_CASE("a decoder also predicts the input tokens before its target that the data asks for") {
  Split split = two_sums();
  split.input_asked = {1, 0, 1, 0, 0, 1, 0, 1};
  const Batch batch = make_batch(tiny_config(kWriter), split, Samples{0, 1});
  // Nothing comes before the first token, so it cannot be predicted.
  CHECK(rows(batch.targets) ==
        TensorRows{{kPad, 4, kPad, 7, kEnd, kPad, kPad}, {9, kPad, 8, kPad, 2, 7, kEnd}});
  // An encoder reads its input and predicts none of it.
  CHECK(rows(make_batch(tiny_config(kBoth), split, Samples{0, 1}).targets) ==
        TensorRows{{7, kEnd, kPad}, {2, 7, kEnd}});
}

TEST_CASE("without targets a decoder is fed bos and the input, and asked for all or some of it") {
  Split split = split_of(plain_legend(), {{4, 5, 6}, {7, 8}});
  const Batch all = make_batch(tiny_config(kWriter), split, Samples{0, 1});
  CHECK(rows(all.fed) == TensorRows{{kBos, 4, 5}, {kBos, 7, kPad}});
  CHECK(values(all.fed_lengths) == std::vector<std::int32_t>{3, 2});
  CHECK(rows(all.targets) == TensorRows{{4, 5, 6}, {7, 8, kPad}});
  split.input_asked = {0, 1, 1, 1, 0, 0};
  const Batch some = make_batch(tiny_config(kWriter), split, Samples{0, 1});
  CHECK(rows(some.fed) == rows(all.fed));
  CHECK(rows(some.targets) == TensorRows{{kPad, 5, 6}, {7, kPad, kPad}});
}

TEST_CASE("a batch is as long as the longest of its samples, however long the split's rows are") {
  for (const ModelKind kind : {kBoth, kWriter}) {
    const Split split = two_sums();
    const Batch batch = make_batch(tiny_config(kind), split, Samples{0});
    CHECK(batch.fed.size(1) == (kind == kBoth ? 2 : 5));
    CHECK_FALSE(batch.fed_lengths.defined());
    if (kind == kBoth) CHECK(batch.inputs.size(1) == 3);
  }
}

TEST_CASE("a stretch of samples is the batch of those samples") {
  const Split split = uneven_additions(20);
  for (const ModelKind kind : {kBoth, kWriter}) {
    const Batch stretch = make_batch(tiny_config(kind), split, 5, 3);
    const Batch listed = make_batch(tiny_config(kind), split, Samples{5, 6, 7});
    CHECK(rows(stretch.fed) == rows(listed.fed));
    CHECK(rows(stretch.targets) == rows(listed.targets));
  }
}

// Inputs at 9 5 7, and 2 0 2 0; targets at 6 8, and 0 3 4.
Split placed_sums() {
  Split split = two_sums();
  split.input_positions = {9, 5, 7, 0, 2, 0, 2, 0};
  split.target_positions = {6, 8, 0, 0, 3, 4};
  return split;
}

TEST_CASE("positions that the data gives are used by models that take them, and by no others") {
  const Split split = placed_sums();
  CHECK_FALSE(make_batch(tiny_config(kBoth), split, 0, 2).input_positions.defined());
  CHECK_FALSE(make_batch(tiny_config(kBoth), split, 0, 2).fed_positions.defined());
  CHECK_FALSE(make_batch(tiny_config(kWriter), split, 0, 2).fed_positions.defined());
  // Beside an encoder, a query stands where the token is that it writes.
  const Batch both = make_batch(placed_by_data(kBoth), split, 0, 2);
  CHECK(rows(both.input_positions) == TensorRows{{9, 5, 7, 0}, {2, 0, 2, 0}});
  CHECK(rows(both.fed_positions) == TensorRows{{6, 8, 0}, {0, 3, 4}});
  // Alone, a token stands where it is, and bos before the first of the target.
  const Batch alone = make_batch(placed_by_data(kWriter), split, 0, 2);
  CHECK(rows(alone.fed) ==
        TensorRows{{3, kPlus, 4, kBos, 7, kPad, kPad}, {1, 9, kPlus, 8, kBos, 2, 7}});
  CHECK(rows(alone.fed_positions) == TensorRows{{9, 5, 7, 5, 6, 0, 0}, {2, 0, 2, 0, 0, 0, 3}});
}

TEST_CASE("without targets bos stands before the first input token, but at no negative position") {
  Split split = split_of(plain_legend(), {{4, 5, 6}, {7, 8}});
  split.input_positions = {3, 9, 4, 0, 1, 0};
  CHECK(rows(make_batch(placed_by_data(kWriter), split, 0, 2).fed_positions) ==
        TensorRows{{2, 3, 9}, {0, 0, 0}});
}

TEST_CASE("a classifier's positions may be given too") {
  Split split = four_sequences();
  split.input_positions.assign(split.inputs.size(), 0);
  split.input_positions[0] = 5;
  split.input_positions[1] = 3;
  CHECK(rows(make_batch(placed_by_data(kClassifier), split, 0, 1).input_positions) ==
        TensorRows{{5, 3}});
}

TEST_CASE("offsets move every position of a sample by the same") {
  const Split split = placed_sums();
  const Samples both = {0, 1};
  const Offsets offsets = {0, 10};
  const Batch counted = make_batch(tiny_config(kBoth), split, both, offsets);
  CHECK(rows(counted.input_positions) == TensorRows{{0, 1, 2, 0}, {10, 11, 12, 13}});
  CHECK(rows(counted.fed_positions) == TensorRows{{0, 1, 0}, {10, 11, 12}});
  const Batch alone = make_batch(tiny_config(kWriter), split, both, offsets);
  CHECK(rows(alone.fed_positions) ==
        TensorRows{{0, 1, 2, 3, 4, 0, 0}, {10, 11, 12, 13, 14, 15, 16}});
  const Batch given = make_batch(placed_by_data(kBoth), split, both, offsets);
  CHECK(rows(given.input_positions) == TensorRows{{9, 5, 7, 0}, {12, 10, 12, 10}});
  CHECK(rows(given.fed_positions) == TensorRows{{6, 8, 0}, {10, 13, 14}});
  // bos does not come before the offset.
  CHECK(rows(make_batch(placed_by_data(kWriter), split, both, offsets).fed_positions) ==
        TensorRows{{9, 5, 7, 5, 6, 0, 0}, {12, 10, 12, 10, 10, 10, 13}});

  Split sequences = split_of(plain_legend(), {{4, 5, 6}, {7, 8}});
  CHECK(rows(make_batch(tiny_config(kWriter), sequences, both, offsets).fed_positions) ==
        TensorRows{{0, 1, 2}, {10, 11, 0}});
  sequences.input_positions = {3, 9, 4, 0, 1, 0};
  CHECK(rows(make_batch(placed_by_data(kWriter), sequences, both, offsets).fed_positions) ==
        TensorRows{{2, 3, 9}, {10, 10, 0}});
}

// The targets in a batch that are no padding.
std::int64_t asked_in(const TransformerConfig& config, const Split& split, const Samples& samples) {
  const Batch batch = make_batch(config, split, samples);
  return batch.targets.ne(split.vocabulary().pad()).sum().item<std::int64_t>();
}

TEST_CASE("as many targets are asked for as a batch has that are no padding") {
  Split asked_inside = uneven_additions(30);
  asked_inside.input_asked.assign(asked_inside.inputs.size(), 0);
  for (std::int64_t sample = 0; sample < 30; ++sample) {
    for (std::int64_t at = 0; at < asked_inside.input_size(sample); ++at)
      asked_inside.input_asked[static_cast<std::size_t>(sample * 5 + at)] = (sample + at) % 3 == 0;
  }
  Split nothing_else = asked_inside;
  nothing_else.targets.clear();
  nothing_else.target_length = 0;
  const std::vector<std::pair<ModelKind, Split>> cases = {
      {kBoth, uneven_additions(30)},
      {kBoth, asked_inside},
      {kWriter, uneven_additions(30)},
      {kWriter, asked_inside},
      {kWriter, repetitions(30, Asked::kAll)},
      {kWriter, repetitions(30, Asked::kSuffix)},
      {kWriter, nothing_else}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [kind, split] = cases[i];
    const TransformerConfig config = tiny_config(kind);
    std::int64_t sum = 0;
    for (std::int64_t sample = 0; sample < 30; ++sample) {
      CAPTURE(i, sample);
      CHECK(asked_count(config, split, Samples{sample}) == asked_in(config, split, {sample}));
      sum += asked_in(config, split, {sample});
    }
    CHECK(asked_count(config, split, all_of(split)) == sum);
    CHECK(sum > 30);
  }
  CHECK(asked_count(tiny_config(kClassifier), four_sequences(), Samples{3, 1, 1}) == 3);
}

TEST_CASE("an answer begins after the input for a decoder with targets, else at once") {
  const Split sums = two_sums(), alone = repetitions(3, Asked::kSuffix);
  CHECK(answer_begin(tiny_config(kBoth), sums, 1) == 0);
  CHECK(answer_begin(tiny_config(kWriter), sums, 0) == 3);
  CHECK(answer_begin(tiny_config(kWriter), sums, 1) == 4);
  CHECK(answer_begin(tiny_config(kWriter), alone, 1) == 0);
  CHECK(answer_length(sums) == 3);
  CHECK(answer_length(alone) == alone.input_length);
  CHECK(answer_length(four_sequences()) == 1);
}

TEST_CASE("positions that are needed are above all that any batch has") {
  for (const ModelKind kind : kEveryKind) {
    for (const bool by_data : {false, true}) {
      TransformerConfig config = by_data ? placed_by_data(kind) : tiny_config(kind);
      Split split = with_positions(uneven_data(kind, 40));
      const Batch batch = make_batch(config, split, all_of(split));
      std::int64_t most = 0;
      for (const auto& [positions, tokens] : {std::pair(batch.input_positions, batch.inputs),
                                              std::pair(batch.fed_positions, batch.fed)}) {
        if (positions.defined()) most = std::max(most, 1 + positions.max().item<std::int64_t>());
        if (tokens.defined() && !by_data) most = std::max(most, tokens.size(1));
      }
      CAPTURE(name_of(kind), by_data);
      CHECK(positions_needed(config, split) == most);
    }
  }
}

}  // namespace
}  // namespace headway::testing
