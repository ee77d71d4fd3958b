#include "lib/addition/import_dataset.h"

#include <filesystem>

#include "lib/addition/dataset_summary.h"
#include "lib/base/error.h"
#include "stages/addition/stages.h"
#include "stages/artifacts.h"
#include "stages/params.h"

namespace headway {
namespace {

struct ImportDatasetParams {
  FilePath train;
  FilePath val;
  FilePath test;
  Overlap overlap = Overlap::kRefuse;

  static SchemaOf<ImportDatasetParams> schema() {
    using Params = ImportDatasetParams;
    SchemaOf<Params> schema;
    schema
        .add("train", &Params::train,
             "JSON list of records to train on; each has 'input' and 'target', lists of tokens "
             "(0..9, and 10 for +)")
        .required();
    schema.add("val", &Params::val, "the same, to choose by").required();
    schema.add("test", &Params::test, "the same, to measure on").required();
    schema.add("overlap", &Params::overlap,
               "problems of val and test that are also in train: refuse them, report (keep and "
               "count) them, or drop them from train");
    return schema;
  }
};

// Refuses parameters that are set but empty: the schema checks only that named files exist.
void check_import_dataset(const StageDeclaration& stage, Diagnostics& diagnostics) {
  for (const char* name : {"train", "val", "test"}) {
    const Value& file = *stage.params.find(name);
    if (!file.text()->empty()) continue;
    diagnostics.add(file.location, "{}: parameter '{}' names no file", stage.subject, name);
  }
}

// `name` is relative to the pipeline's folder.
DatasetText read_text(const Path& folder, const std::string& name) {
  if (std::filesystem::is_directory(folder / name))
    throw Error("{}: is a folder, not a file", name);
  std::optional<std::string> text = RealFileSystem().read(folder / name);
  if (!text) throw Error("{}: no such file", name);
  return {name, std::move(*text)};
}

}  // namespace

StageType import_dataset_stage() {
  return {
      .name = "import-dataset",
      .summary = "reads additions (or other sequences of their tokens) from JSON files",
      .example =
          "  data:\n"
          "    uses: import-dataset\n"
          "    with: {train: data/train.json, val: data/val.json, test: data/test.json}\n"
          "    # each file: [{\"input\": [3, 7, 4, 10, 8, 1, 4], \"target\": [1, 1, 8, 8]}, …]; 10 "
          "is "
          "+\n",
      .params = schema_of<ImportDatasetParams>(),
      .outputs =
          {{"data", "data.safetensors", "the three splits as tokens"},
           {"table", "statistics.csv",
            "how many problems of each split have which carries and digits, overlap, are wrong"},
           {"metrics", "metrics.json",
            "sizes, overlap, dropped, repeated, wrong sums, shares by number of carries"}},
      .metrics = {"train", "val", "test", "overlap", "overlap_val", "overlap_test", "repeated",
                  "wrong_sums", "carries.*", "digits", "dropped"},
      .check = check_import_dataset};
}

void run_import_dataset(StageContext& context) {
  const auto params = read_params<ImportDatasetParams>(context);
  const auto text = [&](const FilePath& file) { return read_text(context.folder(), file.path); };
  const ImportedDataset imported =
      import_dataset(text(params.train), text(params.val), text(params.test), params.overlap);
  context.throw_if_cancelled();
  Json metrics = dataset_metrics(imported.data);
  metrics["dropped"] = imported.dropped;
  write_output(context, "data", to_safetensors(to_tensor_file(imported.data)));
  write_table(context, "table", addition_statistics(imported.data));
  write_metrics(context, metrics);
}

}  // namespace headway
