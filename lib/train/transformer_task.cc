#include "lib/train/transformer_task.h"

#include "lib/numerics/part_clock.h"
#include "lib/train/scoring.h"

namespace headway {

TransformerTask::TransformerTask(TransformerConfig config, const Dataset& data, SampleSource source,
                                 std::uint64_t seed)
    : config_(std::move(config)), data_(data), source_(std::move(source)), seed_(seed) {}

std::vector<std::int64_t> TransformerTask::begin_epoch(std::int64_t epoch, std::int64_t batch,
                                                       RandomStream random) {
  epoch_ = epoch;
  if (source_.epoch) fresh_ = source_.epoch(epoch);
  return training_order(train(), batch, random);
}

std::int64_t TransformerTask::loss_terms(std::span<const std::int64_t> samples) const {
  return asked_count(config_, train(), samples);
}

std::vector<std::int32_t> TransformerTask::offsets_of(std::span<const std::int64_t> samples) const {
  std::vector<std::int32_t> offsets;
  if (config_.offset == 0) return offsets;
  constexpr std::uint64_t kOffsets = 3;  // the training loop's own draws are 1 and 2
  for (const std::int64_t sample : samples) {
    RandomStream random(
        seed_, {kOffsets, static_cast<std::uint64_t>(epoch_), static_cast<std::uint64_t>(sample)});
    offsets.push_back(
        static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(config_.offset) + 1)));
  }
  return offsets;
}

Batch TransformerTask::batch_of(std::span<const std::int64_t> samples) const {
  const TimedPart timed(Part::kBatches);
  return make_batch(config_, train(), samples, offsets_of(samples));
}

ShardLoss TransformerTask::loss_with(const Replica& replica) const {
  // Data to fine-tune on may be longer than what the model was trained on.
  const std::int64_t longest =
      std::max(config_.trained_to, positions_needed(config_, train()) + config_.offset);
  return [this, model = Transformer(config_, replica, longest)](
             std::span<const std::int64_t> samples, double scale, DropoutStream& dropout) {
    const Batch batch = batch_of(samples);
    const at::Tensor logits = model.forward(batch, dropout);  // [B * T, V], or [B, classes]
    const std::int32_t ignored = config_.has_decoder() ? train().vocabulary().pad() : -1;
    return cross_entropy_sum(logits, batch.targets, ignored, scale);
  };
}

Validation TransformerTask::validate(const Parameters& parameters, ThreadTeam& team) const {
  const Split& val = data_.split("val");
  const Transformer model(config_, parameters.views(false), positions_needed(config_, val));
  const Scores scores = score(model, val, team);
  if (!val.has_answers())
    return {{{"val_loss", scores.loss()}, {"token_accuracy", scores.token_accuracy()}},
            -scores.loss(),
            scores.loss()};
  const double exact = scores.exact_match();
  if (config_.kind == ModelKind::kEncoder)
    return {{{"val_loss", scores.loss()}, {"accuracy", exact}}, exact, scores.loss()};
  return {{{"val_loss", scores.loss()},
           {"token_accuracy", scores.token_accuracy()},
           {"teacher_forced", exact},
           {"greedy", exact}},
          exact,
          scores.loss()};
}

TransformerConfig shaped_for(TransformerConfig config, const Dataset& data) {
  const Split& train = data.split("train");
  check_fits(config, train);
  const Vocabulary& vocabulary = data.legend->vocabulary;
  // A classifier sees no markers.
  config.vocabulary = config.has_decoder() ? vocabulary.size() : std::ssize(vocabulary.words());
  config.classes = config.has_decoder() ? 0 : std::ssize(data.legend->classes);
  config.trained_to = positions_needed(config, train) + config.offset;
  config.trained_from = sequence_length(config, train, 0);
  for (std::int64_t sample = 1; sample < train.size(); ++sample)
    config.trained_from = std::min(config.trained_from, sequence_length(config, train, sample));
  config.trained_from = std::min(config.trained_from, config.trained_to);  // of given positions
  config.check();
  return config;
}

}  // namespace headway
