#include "tests/support/test_stages.h"

#include "stages/stages.h"

namespace headway::testing {
namespace {

SchemaOf<TrainParams> declare_train() {
  SchemaOf<ModelParams> model;
  model.add("d_model", &ModelParams::d_model, "width").at_least(1);
  model.add("n_heads", &ModelParams::n_heads, "heads").at_least(1).at_most(64);
  model.add("dropout", &ModelParams::dropout, "share dropped").at_least(0).at_most(1);
  SchemaOf<TrainParams> schema;
  schema.add("epochs", &TrainParams::epochs, "passes over the data").at_least(1).at_most(1000);
  schema.add("lr", &TrainParams::lr, "learning rate").above(0);
  schema.add("shuffle", &TrainParams::shuffle, "another order every epoch");
  schema.add("mode", &TrainParams::mode, "how").one_of({"fast", "exact"});
  schema.add("note", &TrainParams::note, "a remark");
  schema.add("seeds", &TrainParams::seeds, "of the weights").at_least(0);
  schema.add("betas", &TrainParams::betas, "of the optimiser");
  schema.add("config", &TrainParams::config, "a file");
  schema.add("code", &TrainParams::code, "files");
  schema.add("variable", &TrainParams::variable, "of the environment");
  schema.add_group("model", &TrainParams::model, model, "the model");
  return schema;
}

StageType make_data_type() {
  StageType type;
  type.name = "make-data";
  type.outputs = {{"data", "data.bin", "the data", {}}};
  return type;
}

StageType train_type() {
  StageType type;
  type.name = "train-model";
  type.summary = "trains";
  type.params = std::make_shared<SchemaOf<TrainParams>>(train_schema());
  type.inputs = {{.name = "data", .help = "what to learn"},
                 {.name = "start", .help = "a model to go on from", .is_required = false}};
  type.outputs = {{"model", "model.bin", "the model", {}},
                  {"metrics", "metrics.json", "how good it is", {}}};
  return type;
}

StageType measure_type() {
  StageType type;
  type.name = "measure-model";
  type.outputs = {{"metrics", "metrics.json", "how good it is", {}}};
  type.metrics = {"greedy", "loss", "accuracy.*", "removed.*.heads"};
  return type;
}

StageType plot_type() {
  StageType type;
  type.name = "plot-tables";
  type.inputs = {{.name = "tables", .help = "what to draw", .takes_many = true}};
  type.outputs = {{"figure", "figure.svg", "the figure", {}}};
  return type;
}

StageRegistry make_registry() {
  StageRegistry registry;
  registry.add(shell_stage());
  registry.add(make_data_type());
  registry.add(train_type());
  registry.add(measure_type());
  registry.add(plot_type());
  return registry;
}

}  // namespace

const SchemaOf<TrainParams>& train_schema() {
  static const SchemaOf<TrainParams> kSchema = declare_train();
  return kSchema;
}

const StageRegistry& test_stages() {
  static const StageRegistry kRegistry = make_registry();
  return kRegistry;
}

}  // namespace headway::testing
