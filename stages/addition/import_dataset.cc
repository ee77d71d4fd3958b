#include "stages/addition/import_dataset.h"

#include <fmt/format.h>

namespace headway {
namespace {

constexpr const char* kExample =
    "  data:\n"
    "    uses: import-dataset\n"
    "    with: {train: data/train.json, val: data/val.json, test: data/test.json}\n"
    "    # each file: [{\"input\": [3, 7, 4, 10, 8, 1, 4], \"target\": [1, 1, 8, 8]}, …]; 10 is "
    "+\n";

SchemaOf<ImportDatasetParams> declare() {
  using Params = ImportDatasetParams;
  SchemaOf<Params> schema;
  schema
      .add(
          "train", &Params::train,
          "JSON list of records to train on; each has 'input' and 'target', lists of tokens (0..9, "
          "and 10 for +)")
      .required();
  schema.add("val", &Params::val, "the same, to choose by").required();
  schema.add("test", &Params::test, "the same, to measure on").required();
  schema
      .add("overlap", &Params::overlap,
           "problems of val and test that are also in train: refuse them, report (keep and count) "
           "them, or drop them from train")
      .one_of({"refuse", "report", "drop"});
  return schema;
}

// A parameter that is there but names nothing: the schema checks only that named files exist.
void check(const StageDeclaration& stage, Diagnostics& diagnostics) {
  for (const char* name : {"train", "val", "test"}) {
    const Value& file = *stage.params.find(name);
    if (!file.text()->empty()) continue;
    diagnostics.add(file.location,
                    fmt::format("{}: parameter '{}' names no file", stage.subject, name));
  }
}

}  // namespace

const SchemaOf<ImportDatasetParams>& import_dataset_schema() {
  static const SchemaOf<ImportDatasetParams> kSchema = declare();
  return kSchema;
}

StageType import_dataset_stage() {
  StageType type;
  type.name = "import-dataset";
  type.summary = "reads additions (or other sequences of their tokens) from JSON files";
  type.example = kExample;
  type.params = std::make_shared<SchemaOf<ImportDatasetParams>>(import_dataset_schema());
  type.outputs = {
      {.name = "data",
       .file = "data.safetensors",
       .help = "the three splits as tokens",
       .location = {}},
      {.name = "table",
       .file = "statistics.csv",
       .help = "how many problems of each split have which carries and digits, overlap, are wrong",
       .location = {}},
      {.name = "metrics",
       .file = "metrics.json",
       .help = "sizes, overlap, dropped, repeated, wrong sums, shares by number of carries",
       .location = {}}};
  type.check = check;
  return type;
}

}  // namespace headway
