// Parameters and outputs that all training stages share.
#pragma once

#include <string>

#include "lib/nn/transformer_shape.h"
#include "lib/stage/stage_type.h"
#include "lib/train/training_options.h"

namespace headway {

struct TrainingParams : TrainingOptions {
  std::int64_t seed = 641;  // parameters are signed
};

// Adds them to the schema of a stage's parameters, which derive from these.
template <class Params>
void add_training_params(SchemaOf<Params>& schema) {
  using Base = TrainingParams;
  schema.add("epochs", &Base::epochs, "passes over the training samples").at_least(1).at_most(1e6);
  schema
      .add("schedule_epochs", &Base::schedule_epochs,
           "length of the learning rate's schedule, where it is not that of the training; 0: it is")
      .at_least(0)
      .at_most(1e6);
  schema.add("batch", &Base::batch, "samples of a step").at_least(1).at_most(1 << 20);
  schema.add("lr", &Base::lr, "highest learning rate").above(0);
  schema
      .add("warmup", &Base::warmup,
           "share of all steps in which it rises, before it falls as a cosine")
      .at_least(0)
      .at_most(1);
  schema.add("beta1", &Base::beta1, "of AdamW: memory of the gradient")
      .at_least(0)
      .at_most(0.99999);
  schema.add("beta2", &Base::beta2, "of AdamW: memory of its square").at_least(0).at_most(0.99999);
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
      .at_least(1)
      .at_most(64);
  schema.add("seed", &Base::seed, "of weights, order and dropout").at_least(0);
}

// The group `model` for a shape derived from TransformerShape, with its defaults.
template <class Shape>
SchemaOf<Shape> transformer_schema(const char* layers, const char* dropout,
                                   const char* attention_dropout) {
  SchemaOf<Shape> schema;
  using Base = TransformerShape;
  schema.add("d_model", &Base::d_model, "width; a multiple of n_heads").at_least(1).at_most(4096);
  schema.add("n_heads", &Base::n_heads, "heads of each attention").at_least(1).at_most(256);
  schema.add("n_layers", &Base::n_layers, layers).at_least(1).at_most(64);
  schema.add("d_ff", &Base::d_ff, "inner width of the feed-forward blocks")
      .at_least(1)
      .at_most(65536);
  schema.add("dropout", &Base::dropout, dropout).at_least(0).at_most(0.95);
  schema.add("attention_dropout", &Base::attention_dropout, attention_dropout)
      .at_least(0)
      .at_most(0.95);
  return schema;
}

// The state after some epochs depends on the schedule's length, not on the number of epochs.
inline PrefixParams training_prefix_params() {
  return {.amount = "epochs", .whole = "schedule_epochs"};
}

// `measured`: the metrics of each epoch, "val_loss, accuracy".
inline std::vector<Output> training_outputs(const std::string& measured) {
  return {{"model", "model.safetensors", "checkpoint of the best epoch"},
          {"log", "log.csv", "per epoch: train_loss, " + measured + ", learning_rate"},
          {"timing", "timing.csv",
           "per epoch: seconds, samples_per_second; apart, because it is never the same twice"},
          {"metrics", "metrics.json",
           "best_epoch, epochs, parameters, and the best epoch's " + measured}};
}

}  // namespace headway
