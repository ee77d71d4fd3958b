#include "tests/train/half_trained.h"

#include <map>

#include "tests/nn/tiny_models.h"

namespace headway::testing {

TrainingOptions quick_options(std::int64_t epochs) {
  TrainingOptions options;
  options.epochs = epochs;
  options.batch = 16;
  options.shards = 1;
  options.lr = 0.01;
  options.dropout = {};
  return options;
}

TransformerConfig config_for(ModelKind kind, const Split& split) {
  return shaped_for(tiny_config(kind), dataset_of(split, split));
}

Transformer model_for(const Checkpoint& checkpoint, const Split& split) {
  return checkpoint.model(positions_needed(checkpoint.config, split));
}

Checkpoint half_trained(const TransformerConfig& config, const Split& split, std::int64_t epochs) {
  Parameters parameters(parameter_shapes(config));
  parameters.draw(1);
  const Dataset data = dataset_of(split, split);
  ThreadTeam team(1);
  TransformerTask task(config, data);
  Checkpoint checkpoint = random_checkpoint(config);
  checkpoint.parameters = train(task, parameters, quick_options(epochs), team, {}).best;
  return checkpoint;
}

namespace {

Checkpoint wider_half_trained(ModelKind kind, const Split& split, std::int64_t epochs) {
  TransformerConfig config = config_for(kind, split);
  config.d_model = 16;
  config.d_ff = 32;
  return half_trained(config, split, epochs);
}

}  // namespace

const Checkpoint& half_trained_adder(ModelKind kind) {
  static std::map<ModelKind, Checkpoint> made;
  auto found = made.find(kind);
  if (found == made.end())
    found = made.emplace(kind, wider_half_trained(kind, all_one_digit_additions(), 20)).first;
  return found->second;
}

const Checkpoint& half_trained_on_uneven(ModelKind kind) {
  static std::map<ModelKind, Checkpoint> made;
  auto found = made.find(kind);
  if (found == made.end()) {
    const std::int64_t epochs = kind == ModelKind::kEncoder ? 12 : 25;
    found = made.emplace(kind, wider_half_trained(kind, uneven_data(kind, 200), epochs)).first;
  }
  return found->second;
}

}  // namespace headway::testing
