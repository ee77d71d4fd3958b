#include "lib/data/dataset_summary.h"
#include "stages/artifacts.h"
#include "stages/extrapolation/stages.h"
#include "stages/params.h"

namespace headway {
namespace {

constexpr double kMostSequences = 100'000'000;  // per split; limited by memory

using Params = GenerateSortingParams;

void declare_sequences(SchemaOf<Params>& schema) {
  const auto length = [&](const char* name, auto member, const char* help) {
    schema.add(name, member, help).between(2, kLongestSequence);
  };
  const auto share = [&](const char* name, auto member, const char* help) {
    schema.add(name, member, help).between(0, 1);
  };
  length("shortest", &Params::shortest, "values of the shortest sequences");
  length("longest", &Params::longest,
         "values of the longest sequences; all lengths between are as likely");
  schema.add("range", &Params::range, "values are whole numbers from 0, below this one")
      .between(2, kLargestRange);
  schema.add("negatives", &Params::negatives,
             "how sorted sequences are made unsorted. swaps: a third as many swaps of two places "
             "as there are values, at least two; adjacent: one pair of unequal neighbours swapped; "
             "mixed: some of both");
  share("adjacent", &Params::adjacent, "of mixed: share of the unsorted ones that are adjacent");
  share("crowded", &Params::crowded,
        "share of the sequences whose values are from a narrow window of the range, so that "
        "neighbours are as close to each other as in long sequences");
  share("sorted", &Params::sorted, "share of the sequences that are sorted");
}

void declare_sizes(SchemaOf<Params>& schema) {
  const auto size = [&](const char* name, auto member, const char* help) {
    return &schema.add(name, member, help).between(1, kMostSequences);
  };
  schema.add("fresh", &Params::fresh,
             "whether each epoch of a training has sequences of its own, drawn alike");
  size("train", &Params::train, "sequences to train on, in an epoch");
  size("val", &Params::val, "sequences to choose by; none of them is in train");
  size("test", &Params::test, "sequences to measure on; none of them is in train");
  schema
      .add("test_lengths", &Params::test_lengths,
           "lengths of further tests, each with both kinds of unsorted sequences; never crowded, "
           "half of it sorted")
      .between(2, kLongestSequence);
  size("test_size", &Params::test_size, "sequences of each of these tests")->at_least(2);
  schema
      .add("test_values", &Params::test_values,
           "most values of each of these tests: of long sequences there are fewer, at least 2")
      .between(1, kMostSequences);
  schema.add("seed", &Params::seed, "of the draw").at_least(0);
}

// Refuses impossible data before anything runs. Finds the parameter to blame by asking for less.
void check_generate_sorting(const StageDeclaration& stage, Diagnostics& diagnostics) {
  const Params params = read_params<GenerateSortingParams>(stage);
  const SortingRecipe& recipe = params;
  const SortingSizes& sizes = params;
  SortingSizes splits = sizes;
  splits.test_lengths.clear();
  SortingSizes held_out = splits;
  held_out.train = 1;
  for (const auto& [param, why] : {std::pair{"shortest", refusal(recipe)},
                                   {"val", refusal(recipe, held_out)},
                                   {"train", refusal(recipe, splits)},
                                   {"test_lengths", refusal(recipe, sizes)}}) {
    if (why.empty()) continue;
    diagnostics.add(stage.params.find(param)->location, "{}: {}", stage.subject, why);
    return;
  }
}

}  // namespace

SchemaOf<GenerateSortingParams> GenerateSortingParams::schema() {
  SchemaOf<Params> schema;
  declare_sequences(schema);
  declare_sizes(schema);
  return schema;
}

StageType generate_sorting_stage() {
  return {
      .name = "generate-sorting",
      .version = 2,
      .summary = "makes sorted and unsorted sequences of numbers, to be told apart",
      .example =
          "  data:\n"
          "    uses: generate-sorting\n"
          "    with:\n"
          "      {shortest: 8, longest: 16, range: 100, negatives: mixed, train: 10000,\n"
          "       test_lengths: [16, 32, 64, 128, 256], seed: 641}\n",
      .params = schema_of<GenerateSortingParams>(),
      .outputs = {{"data", "data.safetensors",
                   "the three splits and the tests by length (test.swaps.32, test.adjacent.32, …): "
                   "values as tokens, labels, and as group `violation` what was done to the order"},
                  {"table", "statistics.csv",
                   "how many sequences of each split have which label, length and violation"},
                  {"metrics", "metrics.json", "sizes, overlap, lengths, shares of the labels"}},
      .metrics = dataset_metric_names(),
      .check = check_generate_sorting};
}

void run_generate_sorting(StageContext& context) {
  const auto params = read_params<GenerateSortingParams>(context);
  const Dataset data = generate_sorting(params, params);
  context.throw_if_cancelled();
  const DatasetSummary summary = summarize(data);
  write_output(context, "data", to_safetensors(to_tensor_file(data)));
  write_table(context, "table", summary.statistics);
  write_metrics(context, summary.metrics);
}

}  // namespace headway
