// Parameters and outputs that all training stages share.
#pragma once

#include <string>

#include "lib/base/text.h"
#include "lib/nn/transformer_config.h"
#include "lib/numerics/event_file.h"
#include "lib/stage/stage_type.h"
#include "lib/train/training_options.h"

namespace headway {

// Adds the options of a training to the schema of a stage's parameters, which derive from them.
template <class Params>
void add_training_params(SchemaOf<Params>& schema) {
  using Base = TrainingOptions;
  schema.add("epochs", &Base::epochs, "passes over the training samples").between(1, 1e6);
  schema
      .add("schedule_epochs", &Base::schedule_epochs,
           "length of the learning rate's schedule, where it is not that of the training; 0: it is")
      .between(0, 1e6);
  schema.add("batch", &Base::batch, "samples of a step").between(1, 1 << 20);
  schema.add("lr", &Base::lr, "highest learning rate").above(0);
  schema
      .add("warmup", &Base::warmup,
           "share of all steps in which it rises, before it falls as a cosine")
      .between(0, 1);
  schema.add("beta1", &Base::beta1, "of AdamW: memory of the gradient").between(0, 0.99999);
  schema.add("beta2", &Base::beta2, "of AdamW: memory of its square").between(0, 0.99999);
  schema.add("weight_decay", &Base::weight_decay, "of weight matrices").at_least(0);
  schema.add("clip", &Base::clip, "longest gradient; 0: any").at_least(0);
  schema
      .add("patience", &Base::patience,
           "stops after that many epochs without a better validation; 0: never")
      .at_least(0);
  schema
      .add("shards", &Base::shards,
           "parts of a batch that are computed side by side, on as many cpus as there are; the "
           "result depends on this number and not on the cpus")
      .between(1, 64);
  schema.add("seed", &Base::seed, "of weights, order and dropout").at_least(0);
}

// Adds how the model knows positions, from which the parameters derive too.
template <class Params>
void add_position_params(SchemaOf<Params>& schema) {
  using Base = PositionConfig;
  schema.add(
      "encoding", &Base::encoding,
      "how the model knows positions; sinusoidal, learned: vectors added to the tokens; rope: "
      "queries and keys turned by their positions; alibi: a penalty on attention that grows "
      "with the distance; relative: a learned bias for each range of distances (T5); none");
  schema.add("positions", &Base::positions,
             "counted: 0, 1, 2 and so on; data: as the dataset says for each token");
  schema
      .add("offset", &Base::offset,
           "while training, the positions of each sample begin at a random number up to this one")
      .between(0, 1 << 16);
  schema.add("beyond", &Base::beyond,
             "of learned positions past the last trained one; clamp: they are the last trained "
             "one; untrained: vectors as training started from");
  schema
      .add("position_scale", &Base::position_scale,
           "of learned positions: their deviation at the start; that of tokens is 1")
      .between(0, 1000);
  schema
      .add("buckets", &Base::buckets,
           "of relative positions: how many ranges of distances have a bias, both ways together")
      .between(4, 65536);
  schema
      .add("farthest", &Base::farthest,
           "of relative positions: the distance from which on all are one range")
      .between(2, 1 << 20);
}

// What attention that sees both ways can do with alibi.
template <class Params>
void add_alibi_param(SchemaOf<Params>& schema) {
  schema.add("alibi", &PositionConfig::alibi,
             "of alibi; directional: half of the heads look back only, half ahead only; symmetric: "
             "all look both ways");
}

// The group `model` for a shape derived from TransformerShape, with its defaults.
template <class Shape>
SchemaOf<Shape> transformer_schema(const char* layers, const char* dropout,
                                   const char* attention_dropout) {
  SchemaOf<Shape> schema;
  using Base = TransformerShape;
  schema.add("d_model", &Base::d_model, "width; a multiple of n_heads").between(1, 4096);
  schema.add("n_heads", &Base::n_heads, "heads of each attention").between(1, 256);
  schema.add("n_layers", &Base::n_layers, layers).between(1, 64);
  schema.add("d_ff", &Base::d_ff, "inner width of the feed-forward layers").between(1, 65536);
  schema.add("dropout", &Base::dropout, dropout).between(0, 0.95);
  schema.add("attention_dropout", &Base::attention_dropout, attention_dropout).between(0, 0.95);
  schema.add(
      "norm", &Base::norm,
      "post: after each sublayer, on the sum; pre: before each sublayer, and once at the end");
  schema.add("ffn", &Base::ffn,
             "what feed-forward layers compute; gated: silu of one half times the other (SwiGLU); "
             "none: there are none, only attention");
  return schema;
}

// The state after some epochs depends on the schedule's length, not on the number of epochs.
inline PrefixParams training_prefix_params() {
  return {.amount = "epochs", .whole = "schedule_epochs"};
}

inline const Output kConfigOutput = {.name = "config",
                                     .file = "config.json",
                                     .help =
                                         "for other programs: shape of the model, number of "
                                         "parameters, tokens, classes, and what made "
                                         "it",
                                     .is_for_programs = true};

// `measures`: the metrics of each epoch, {"val_loss", "accuracy"}.
inline std::vector<Output> training_outputs(const std::vector<std::string>& measures) {
  const std::string measured = join(measures, ", ");
  return {{"model", "model.safetensors", "checkpoint of the best epoch"},
          kConfigOutput,
          {"log", "log.csv", "per epoch: train_loss, " + measured + ", learning_rate"},
          {"timing", "timing.csv",
           "per epoch: seconds, samples_per_second; apart, because it is never the same twice"},
          {"events", kEventFileName,
           "log and timing for TensorBoard and programs that read its files; grows while the stage "
           "runs, and is never the same twice"},
          {"metrics", "metrics.json",
           "best_epoch, epochs, parameters, and the best epoch's " + measured}};
}

inline std::vector<std::string> training_metrics(std::vector<std::string> measures) {
  measures.insert(measures.begin(), {"best_epoch", "epochs", "parameters"});
  return measures;
}

}  // namespace headway
