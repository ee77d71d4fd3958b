// The training task of every kind of model: what an epoch consists of, and how far models and data
// fit.
#include "lib/train/transformer_task.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <cmath>
#include <set>

#include "lib/base/error.h"
#include "lib/train/scoring.h"
#include "tests/nn/tiny_models.h"
#include "tests/train/half_trained.h"

namespace headway::testing {
namespace {

void check_refused(const TransformerConfig& config, const Split& split,
                   const std::string& message) {
  CHECK_THROWS_MATCHES(check_fits(config, split), Error, Catch::Matchers::Message(message));
  CHECK_THROWS_MATCHES(shaped_for(config, dataset_of(split, split)), Error,
                       Catch::Matchers::Message(message));
}

TEST_CASE("models and data that do not fit are refused") {
  const Split labels = labelled({{1, 2}}), sums = uneven_additions(2),
              text = repetitions(2, Asked::kAll);
  check_fits(tiny_config(kClassifier), labels);
  check_fits(tiny_config(kBoth), sums);
  check_fits(tiny_config(kWriter), sums);
  check_fits(tiny_config(kWriter), text);
  check_refused(tiny_config(kClassifier), sums,
                "a classifier needs data with labels, but this has target sequences");
  check_refused(tiny_config(kClassifier), text,
                "a classifier needs data with labels, but this has neither targets nor labels");
  check_refused(tiny_config(kBoth), labels,
                "an encoder-decoder needs data with target sequences, but this has labels");
  check_refused(
      tiny_config(kBoth), text,
      "an encoder-decoder needs data with target sequences, but this has neither targets nor "
      "labels");
  check_refused(tiny_config(kWriter), labels,
                "a decoder writes sequences, but this data has labels");
}

TEST_CASE("a model that takes positions from the data needs data that gives them") {
  for (const ModelKind kind : kEveryKind) {
    TransformerConfig config = tiny_config(kind);
    config.positions = PositionSource::kData;
    Split split = uneven_data(kind, 3);
    check_refused(config, split,
                  "the model takes positions from the data, but it gives none for its inputs");
    split = with_positions(split);
    check_fits(config, split);
    split.target_positions.clear();
    if (kind == kClassifier) {
      check_fits(config, split);
    } else {
      check_refused(config, split,
                    "the model takes positions from the data, but it gives none for its targets");
    }
  }
}

TEST_CASE("a model's shape takes tokens, classes and lengths from its training data") {
  const Split labels = labelled({{1, 2, 3}, {4}}),
              sums = split_of(plain_legend(), {{1, kPlus, 2}}, {{3, kEnd}});
  const TransformerConfig classifier =
      shaped_for(tiny_config(kClassifier), dataset_of(labels, labelled({{1, 2, 3, 4, 5}})));
  CHECK(classifier.vocabulary == 10);
  CHECK(classifier.classes == 3);
  CHECK(classifier.trained_from == 1);
  CHECK(classifier.trained_to == 3);
  const TransformerConfig both = shaped_for(tiny_config(kBoth), dataset_of(sums, sums));
  CHECK(both.vocabulary == 14);
  CHECK(both.classes == 0);
  CHECK(both.trained_from == 3);
  CHECK(both.trained_to == 3);
  CHECK(shaped_for(tiny_config(kWriter), dataset_of(sums, sums)).trained_to == 5);
  TransformerConfig moved = tiny_config(kWriter);
  moved.offset = 7;
  CHECK(shaped_for(moved, dataset_of(sums, sums)).trained_to == 12);
  moved.positions = PositionSource::kData;
  const Split placed = with_positions(sums);  // inputs at 0 1 2, targets at 1 2
  CHECK(shaped_for(moved, dataset_of(placed, placed)).trained_to == 10);
  // Six tokens at positions 0 to 2.
  const Split again = with_positions(labelled({{1, 2, 3, 4, 5, 6}}));
  TransformerConfig repeating = tiny_config(kClassifier);
  repeating.positions = PositionSource::kData;
  CHECK(shaped_for(repeating, dataset_of(again, again)).trained_to == 3);
  const Split one_class = [] {
    Split split = split_of(plain_legend({"only"}), {{1}});
    split.labels = {0};
    return split;
  }();
  CHECK_THROWS_AS(shaped_for(tiny_config(kClassifier), dataset_of(one_class, one_class)), Error);
}

double mean_loss(const TransformerTask& task, const Checkpoint& checkpoint, const Split& split) {
  DropoutStream none;
  const double scale = 1 / static_cast<double>(task.loss_terms(all_of(split)));
  const ShardLoss loss = task.loss_with(checkpoint.parameters.views(true));
  return loss(all_of(split), scale, none).item<double>();
}

// Fresh samples for each epoch, as long as those of uneven_data.
SampleSource fresh_samples(ModelKind kind, std::int64_t count) {
  SampleSource source;
  source.epoch = [=](std::int64_t epoch) {
    return uneven_data(kind, count, static_cast<std::uint64_t>(1 + epoch));
  };
  return source;
}

TEST_CASE("positions of the data may be fewer than the tokens of the shortest sample") {
  Split split = additions(2, 10);  // as in position coupling: columns have the same position
  split.input_positions.clear();
  split.target_positions.clear();
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    for (const std::int32_t position : {2, 1, 0, 2, 1}) split.input_positions.push_back(position);
    for (const std::int32_t position : {3, 2, 1}) split.target_positions.push_back(position);
  }
  TransformerConfig config = tiny_config(ModelKind::kEncoderDecoder);
  config.positions = PositionSource::kData;
  config = shaped_for(config, dataset_of(split, split));
  CHECK(config.trained_to == 4);
  CHECK(config.trained_from == 4);
}

TEST_CASE("an epoch is the stored samples in its own order, or fresh ones") {
  ThreadTeam team(1);
  for (const ModelKind kind : kEveryKind) {
    const Split stored = uneven_data(kind, 60);
    const Dataset data = dataset_of(stored, stored);
    const Checkpoint checkpoint = random_checkpoint(config_for(kind, stored));
    for (const bool fresh : {false, true}) {
      TransformerTask task(checkpoint.config, data,
                           fresh ? fresh_samples(kind, 60) : SampleSource());
      CHECK(task.size() == 60);
      for (const std::int64_t epoch : {0, 3, 1, 3}) {
        CAPTURE(name_of(kind), fresh, epoch);
        const Split samples = fresh ? fresh_samples(kind, 60).epoch(epoch) : stored;
        CHECK((samples == stored) == (!fresh || epoch == 0));
        const RandomStream random(5, {static_cast<std::uint64_t>(epoch)});
        CHECK(task.begin_epoch(epoch, 16, random) == training_order(samples, 16, random));
        const Transformer model = checkpoint.model(positions_needed(checkpoint.config, samples));
        const double expected = score(model, samples, team).loss();
        CHECK(std::abs(mean_loss(task, checkpoint, samples) - expected) < 1e-5);
      }
    }
  }
}

TEST_CASE("a loss created before an epoch begins has the samples of that epoch") {
  const Split stored = uneven_data(kWriter, 60);
  const Dataset data = dataset_of(stored, stored);
  const Checkpoint checkpoint = random_checkpoint(config_for(kWriter, stored));
  TransformerTask task(checkpoint.config, data, fresh_samples(kWriter, 60));
  const ShardLoss loss_of = task.loss_with(checkpoint.parameters.views(true));
  const std::vector<std::int64_t> some = {4, 7, 8};
  const auto loss = [&] {
    DropoutStream none;
    return loss_of(some, 1, none).item<double>();
  };
  const double before = loss();
  task.begin_epoch(1, 16, RandomStream(1));
  CHECK(loss() != before);
  task.begin_epoch(0, 16, RandomStream(1));
  CHECK(loss() == before);
}

TEST_CASE("the terms of a loss are the targets that are asked for") {
  for (const ModelKind kind : kEveryKind) {
    const Split split = uneven_data(kind, 20);
    const Dataset data = dataset_of(split, split);
    const TransformerConfig config = config_for(kind, split);
    const TransformerTask task(config, data);
    const std::vector<std::int64_t> some = {3, 4, 11};
    CHECK(task.loss_terms(some) == asked_count(config, split, some));
  }
}

// The offset of each sample in an epoch: the model adds only positions to equal tokens, and each
// offset has its own loss.
std::vector<std::size_t> offsets_in(std::int64_t epoch, std::uint64_t seed,
                                    const TransformerConfig& config, const Split& split) {
  const Dataset data = dataset_of(split, split);
  const Checkpoint checkpoint = random_checkpoint(config);
  TransformerTask task(config, data, {}, seed);
  task.begin_epoch(epoch, 16, RandomStream(1));
  const ShardLoss loss_of = task.loss_with(checkpoint.parameters.views(true));
  const Transformer model = checkpoint.model(config.trained_to);
  const auto loss_at = [&](std::int32_t offset) {
    const std::vector<std::int64_t> first = {0};
    const std::vector<std::int32_t> offsets = {offset};
    const Batch batch = make_batch(config, split, first, offsets);
    DropoutStream none;
    return cross_entropy_sum(model.forward(batch, none), batch.targets,
                             config.has_decoder() ? kPad : -1, 1)
        .item<double>();
  };
  std::vector<double> losses;
  for (std::int32_t offset = 0; offset <= config.offset; ++offset)
    losses.push_back(loss_at(offset));
  std::vector<std::size_t> found;
  for (const std::int64_t sample : all_of(split)) {
    DropoutStream none;
    const double loss = loss_of(std::vector{sample}, 1, none).item<double>();
    const auto offset = std::ranges::find(losses, loss) - losses.begin();
    REQUIRE(offset <= config.offset);
    found.push_back(static_cast<std::size_t>(offset));
  }
  return found;
}

TEST_CASE("offsets are within their range, and differ by sample, epoch and seed, reproducibly") {
  for (const ModelKind kind : kEveryKind) {
    // Forty times the same sample.
    Split split;
    for (int i = 0; i < 40; ++i) split.append(uneven_data(kind, 1), 0);
    TransformerConfig config = tiny_config(kind, Encoding::kLearned);
    config.offset = 4;
    config = shaped_for(config, dataset_of(split, split));
    const auto offsets = offsets_in(0, 5, config, split);
    CAPTURE(name_of(kind));
    CHECK(std::set(offsets.begin(), offsets.end()) == std::set<std::size_t>{0, 1, 2, 3, 4});
    CHECK(offsets_in(0, 5, config, split) == offsets);
    CHECK(offsets_in(1, 5, config, split) != offsets);
    CHECK(offsets_in(0, 6, config, split) != offsets);
  }
}

TEST_CASE("models are validated on all of val, without offsets, and selected by exact match") {
  ThreadTeam team(2);
  for (const ModelKind kind : kEveryKind) {
    const Dataset data = dataset_of(uneven_data(kind, 60), uneven_data(kind, 150, 2));
    TransformerConfig config = half_trained_on_uneven(kind).config;
    const Checkpoint& checkpoint = half_trained_on_uneven(kind);
    const Split& val = data.split("val");
    const Scores scores = score(checkpoint.model(positions_needed(config, val)), val, team);
    config.offset = 9;
    const TransformerTask task(config, data);
    const Validation validation = task.validate(checkpoint.parameters, team);
    using Metrics = std::vector<std::pair<std::string, double>>;
    const double exact = scores.exact_match();
    CHECK(exact > 0);
    CHECK(validation.metrics == (kind == kClassifier
                                     ? Metrics{{"val_loss", scores.loss()}, {"accuracy", exact}}
                                     : Metrics{{"val_loss", scores.loss()},
                                               {"token_accuracy", scores.token_accuracy()},
                                               {"teacher_forced", exact},
                                               {"greedy", exact}}));
    CHECK(validation.objective == exact);
    CHECK(validation.loss == scores.loss());
    std::vector<std::string> names;
    for (const auto& metric : validation.metrics) names.push_back(metric.first);
    CHECK(measures_of(kind) == names);
  }
}

TEST_CASE("the best epoch of plain sequences is the one with the least loss") {
  const Dataset data = dataset_of(repetitions(60, Asked::kAll), repetitions(40, Asked::kAll, 2));
  const TransformerConfig config = config_for(ModelKind::kDecoder, data.split("train"));
  ThreadTeam team(1);
  const Validation validation =
      TransformerTask(config, data).validate(random_checkpoint(config).parameters, team);
  REQUIRE(validation.metrics.size() == 2);  // no answer is right or wrong as a whole
  CHECK(validation.metrics[0] == std::pair(std::string("val_loss"), validation.loss));
  CHECK(validation.metrics[1].first == "token_accuracy");
  CHECK(validation.objective == -validation.loss);
}

TEST_CASE("validation samples may be longer than those trained on") {
  const Dataset data = dataset_of(random_sequences(40, 2, 4), random_sequences(40, 9, 12));
  ThreadTeam team(1);
  for (const Encoding encoding : kEveryEncoding) {
    const TransformerConfig config = shaped_for(tiny_config(kClassifier, encoding), data);
    const TransformerTask task(config, data);
    CHECK(std::isfinite(task.validate(random_checkpoint(config).parameters, team).loss));
  }
}

}  // namespace
}  // namespace headway::testing
