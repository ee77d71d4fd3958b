#include <fmt/format.h>

#include <algorithm>

#include "lib/base/text.h"
#include "stages/addition/stages.h"
#include "stages/params.h"

namespace headway {
namespace {

void check_attention_maps(const StageDeclaration& stage, Diagnostics& diagnostics) {
  const ValueList& problems = *stage.params.find("problems")->list();
  for (const Value& problem : problems) {
    const std::vector<std::string> parts = split(*problem.text(), '+');
    const bool is_sum =
        parts.size() == 2 && std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
          return !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
        });
    if (is_sum) continue;
    diagnostics.add(problem.location, "{}: '{}' is not a problem such as 374+814", stage.subject,
                    printable(*problem.text()));
  }
  if (problems.empty() && *stage.params.find("sampled")->integer() == 0)
    diagnostics.add(stage.params.find("sampled")->location,
                    fmt::format("{}: no problem to map: 'problems' is empty and 'sampled' is 0",
                                stage.subject));
}

}  // namespace

SchemaOf<AttentionMapsParams> AttentionMapsParams::schema() {
  using Params = AttentionMapsParams;
  SchemaOf<Params> schema;
  schema.add("problems", &Params::problems, "problems to map, as 374+814");
  schema.add("sampled", &Params::sampled, "problems of the split to map besides, drawn by chance")
      .between(0, 1000);
  schema.add("split", &Params::split, "of the dataset").one_of(kSplitChoices);
  schema.add("seed", &Params::seed, "of the draw").at_least(0);
  return schema;
}

StageType attention_maps_stage() {
  return {
      .name = "attention-maps",
      .version = 3,
      .summary = "attention weights of single problems, and statistics of every head over a split",
      .example =
          "  attention:\n"
          "    uses: attention-maps\n"
          "    in: {model: train, data: data}\n"
          "    with: {problems: [374+814, 999+999], sampled: 2}\n",
      .params = schema_of<AttentionMapsParams>(),
      .inputs = {kSeq2SeqModelPort, kSeq2SeqDataPort},
      .outputs =
          {{"maps", "maps.safetensors",
            "weights [problems, heads, queries, keys] of each attention (encoder.0.self, …), "
            "with inputs, decoder_inputs, targets and predictions"},
           {"table", "heads.csv",
            "a row for each head, means over the split. diagonal: weight on the query's own "
            "position, previous: on the one before (self attention). operator: on the +. column: "
            "of an output digit on the two input digits of its column, in the encoder of a digit "
            "on the other number's digit of its column. carry: of the same digits on both digits "
            "of the column to the right, where the carry comes from (the units have none); "
            "carry_with and carry_without: where that column carries, or does not. leading: of the "
            "leading output digit, which has no column of its own and counts in neither, on the "
            "two digits of the leftmost column (cross attention). entropy: of the weights, 1 is "
            "even, 0 is one key. sparsity: (n - e) / (n - 1) with e = 1 / sum of squared weights "
            "over n keys: 1 is one key, 0 is even. Empty where a statistic has no meaning for a "
            "module"},
           {"metrics", "metrics.json", "problems, heads"}},
      .metrics = {"problems", "heads"},
      .check = check_attention_maps};
}

}  // namespace headway
