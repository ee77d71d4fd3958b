#include <algorithm>

#include "stages/params.h"
#include "stages/stages.h"

namespace headway {
namespace {

// Each component may be removed once.
void check_prune_model(const StageDeclaration& stage, Diagnostics& diagnostics) {
  check_components(stage, diagnostics);
  const auto kinds = read_params<PruneModelParams>(stage).components;
  if (kinds.size() > 1 && std::ranges::find(kinds, name_of(ComponentKind::kBlock)) != kinds.end())
    diagnostics.add(stage.params.find("components")->location,
                    "{}: blocks contain heads and feed-forward layers, so they are removed alone: "
                    "components: [block]",
                    stage.subject);
}

}  // namespace

SchemaOf<FineTuneParams> FineTuneParams::schema() {
  using Params = FineTuneParams;
  SchemaOf<Params> schema;
  schema.add("epochs", &Params::epochs, "of training after the removal; 0: none").between(0, 1e6);
  schema.add("lr", &Params::lr, "highest learning rate").above(0);
  schema.add("batch", &Params::batch, "samples of a step").between(1, 1 << 20);
  schema.add("shards", &Params::shards, "as of train-seq2seq").between(1, 64);
  return schema;
}

SchemaOf<PruneModelParams> PruneModelParams::schema() {
  using Params = PruneModelParams;
  SchemaOf<Params> schema;
  add_components_param(schema,
                       "what may be removed: heads, feed-forward layers, or whole blocks, which "
                       "cannot go together with the others");
  schema
      .add("tolerances", &Params::tolerances,
           "points that may be lost: of exact match, of labels accuracy, of plain sequences token "
           "accuracy")
      .between(0, 100);
  schema.add("checkpoint", &Params::checkpoint, "the tolerance by which the smaller model is cut")
      .between(0, 100);
  schema
      .add("random_orders", &Params::random_orders,
           "orders of removal drawn at random, to compare with; 0: none")
      .between(0, 1000);
  schema
      .add("choose", &Params::choose,
           "validation samples by which the greedy order is chosen; curves are measured on the "
           "test samples")
      .at_least(1);
  schema.add_group("fine_tune", &Params::fine_tune, FineTuneParams::schema(),
                   "training of the smaller model, to recover");
  schema.add("seed", &Params::seed, "of the random orders and of fine-tuning").at_least(0);
  return schema;
}

StageType prune_model_stage() {
  return {
      .name = "prune-model",
      .summary =
          "removes heads, feed-forward layers or blocks one after another, and cuts the "
          "model down to those it needs",
      .example =
          "  prune:\n"
          "    uses: prune-model\n"
          "    in: {model: train, data: data}\n"
          "    with: {tolerances: [1, 5], checkpoint: 1, fine_tune: {epochs: 2}}\n"
          "    resources: {cpus: 2}\n",
      .params = schema_of<PruneModelParams>(),
      .inputs = {kModelPort, kDataPort},
      .outputs =
          {{"table", "curves.csv",
            "exact match (of labels accuracy, of plain sequences token accuracy) on the test "
            "samples by components removed: greedy (all that are left are tried anew after each "
            "removal), one-shot (the ranking of single removals), random (mean, lowest and highest "
            "of the orders)"},
           {"tolerances", "tolerances.csv",
            "for each tolerance: components that can go one at a time, components that can go "
            "together (the longest start of the greedy order that ends within), which"},
           {"model", "model.safetensors",
            "the checkpoint without the components of the tolerance 'checkpoint', rows and columns "
            "gone; checked against the whole model with them switched off"},
           kConfigOutput,
           {"timing", "timing.csv",
            "test samples per second of the whole and the smaller model; apart, because it is "
            "never the same twice"},
           {"metrics", "metrics.json",
            "greedy (of labels accuracy, of plain sequences token_accuracy) of the whole and of "
            "the pruned model (and fine_tuned), "
            "parameters of both, components, removed, individually and together by tolerance"}},
      .metrics = {"greedy", "accuracy", "token_accuracy", "components", "parameters",
                  "individually.*", "together.*", "pruned.removed", "pruned.greedy",
                  "pruned.accuracy", "pruned.token_accuracy", "pruned.parameters",
                  "pruned.fine_tuned"},
      .check = check_prune_model};
}

}  // namespace headway
