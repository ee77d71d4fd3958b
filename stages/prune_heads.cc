#include "stages/params.h"
#include "stages/stages.h"

namespace headway {

SchemaOf<FineTuneParams> FineTuneParams::schema() {
  using Params = FineTuneParams;
  SchemaOf<Params> schema;
  schema.add("epochs", &Params::epochs, "of training after the removal; 0: none").between(0, 1e6);
  schema.add("lr", &Params::lr, "highest learning rate").above(0);
  schema.add("batch", &Params::batch, "problems of a step").between(1, 1 << 20);
  schema.add("shards", &Params::shards, "as of train-seq2seq").between(1, 64);
  return schema;
}

SchemaOf<PruneHeadsParams> PruneHeadsParams::schema() {
  using Params = PruneHeadsParams;
  SchemaOf<Params> schema;
  schema.add("tolerances", &Params::tolerances, "points of greedy exact match that may be lost")
      .between(0, 100);
  schema.add("checkpoint", &Params::checkpoint, "the tolerance by which the smaller model is cut")
      .between(0, 100);
  schema
      .add("random_orders", &Params::random_orders,
           "orders of removal drawn by chance, to compare with; 0: none")
      .between(0, 1000);
  schema
      .add("choose", &Params::choose,
           "validation problems by which the greedy order is chosen; curves are measured on the "
           "test problems")
      .at_least(1);
  schema.add_group("fine_tune", &Params::fine_tune, FineTuneParams::schema(),
                   "training of the smaller model, to recover");
  schema.add("seed", &Params::seed, "of the random orders and of fine-tuning").at_least(0);
  return schema;
}

StageType prune_heads_stage() {
  return {.name = "prune-heads",
          .version = 3,
          .summary = "removes heads one after another, and cuts the model down to those it needs",
          .example =
              "  prune:\n"
              "    uses: prune-heads\n"
              "    in: {model: train, data: data}\n"
              "    with: {tolerances: [1, 5], checkpoint: 1, fine_tune: {epochs: 2}}\n"
              "    resources: {cpus: 2}\n",
          .params = schema_of<PruneHeadsParams>(),
          .inputs = {{"model", "checkpoint of train-seq2seq"}, kSeq2SeqDataPort},
          .outputs =
              {{"table", "curves.csv",
                "exact match on the test problems by heads removed: greedy (all that are left are "
                "tried anew after each removal), one-shot (the ranking of single removals), random "
                "(mean, lowest and highest of the orders)"},
               {"tolerances", "tolerances.csv",
                "for each tolerance: heads that can go one at a time, heads that can go together "
                "(the longest start of the greedy order that stays within), which"},
               {"model", "model.safetensors",
                "the checkpoint without the heads of the tolerance 'checkpoint', rows and columns "
                "gone; checked against the whole model with those heads switched off"},
               kConfigOutput,
               {"timing", "timing.csv",
                "test problems per second of the whole and the smaller model; apart, because it is "
                "never the same twice"},
               {"metrics", "metrics.json",
                "greedy of the whole and of the pruned model (and fine_tuned), parameters of both, "
                "heads removed, individually and together by tolerance"}},
          .metrics = {"greedy", "heads", "parameters", "individually.*", "together.*",
                      "pruned.heads_removed", "pruned.greedy", "pruned.parameters",
                      "pruned.fine_tuned"}};
}

}  // namespace headway
