#include <fmt/format.h>

#include "stages/params.h"
#include "stages/stages.h"

namespace headway {
namespace {

void check_attention_maps(const StageDeclaration& stage, Diagnostics& diagnostics) {
  const auto params = read_params<AttentionMapsParams>(stage);
  if (params.problems.empty() && params.sampled == 0)
    diagnostics.add(stage.params.find("sampled")->location,
                    fmt::format("{}: no problem to map: 'problems' is empty and 'sampled' is 0",
                                stage.subject));
}

}  // namespace

SchemaOf<AttentionMapsParams> AttentionMapsParams::schema() {
  using Params = AttentionMapsParams;
  SchemaOf<Params> schema;
  schema.add("problems", &Params::problems,
             "inputs to map, written as in the data: 374+814, or words with spaces between them. "
             "The data has them, or its generator can make them");
  schema.add("sampled", &Params::sampled, "samples of the split to map besides, drawn at random")
      .between(0, 1000);
  schema.add("split", &Params::split, "of the dataset");
  schema.add("seed", &Params::seed, "of the draw").at_least(0);
  return schema;
}

StageType attention_maps_stage() {
  return {
      .name = "attention-maps",
      .version = 4,
      .summary = "attention weights of single samples, and statistics of every head over a split",
      .example =
          "  attention:\n"
          "    uses: attention-maps\n"
          "    in: {model: train, data: data}\n"
          "    with: {problems: [374+814, 999+999], sampled: 2}\n",
      .params = schema_of<AttentionMapsParams>(),
      .inputs = {kModelPort, kDataPort},
      .outputs =
          {{"maps",
            "maps.safetensors",
            "weights [problems, heads, queries, keys] of each attention (encoder.0.self, …), "
            "with the tokens, and with what the model answered",
            {},
            false,
            true},
           {"table", "heads.csv",
            "a row for each head, means over the split. diagonal: weight on the query's own "
            "position, previous: on the one before (self-attention). entropy: of the weights, 1 is "
            "even, 0 is one key. sparsity: (n - e) / (n - 1) with e = 1 / sum of squared weights "
            "over n keys: 1 is one key, 0 is even. Then a column for each relation that the data "
            "declares: a query's weight on all keys that are in the relation to it, over the "
            "queries that have such keys. A decoder's query has the role of the token that it "
            "writes. copying (of decoders alone): whether a head's weights make the model write "
            "the tokens that the head attends to, from -1 to 1. Empty where a statistic has no "
            "meaning"},
           {"roles", "roles.csv",
            "for each head and each two roles that the data declares: the mean weight of queries "
            "of the one on keys of the other; none if there are more than 256 roles"},
           {"metrics", "metrics.json", "problems, heads"}},
      .metrics = {"problems", "heads"},
      .check = check_attention_maps};
}

}  // namespace headway
