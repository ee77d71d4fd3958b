#include "lib/data/import/import_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/data/dataset_summary.h"
#include "stages/artifacts.h"
#include "stages/params.h"
#include "stages/stages.h"

namespace headway {

// The format of files: by the endings of their names, or one for all.
enum class FormatChoice { kByName, kJson, kJsonLines, kCsv };
template <>
inline constexpr std::string_view kNamesOf<FormatChoice>[] = {"by-name", "json", "jsonl", "csv"};

namespace {

// Names of fields. Empty: the field's own.
struct ColumnParams {
  std::string input, target, label, split, input_roles, target_roles, input_positions,
      target_positions, asked;

  // In the order of RecordField.
  static constexpr std::string ColumnParams::*kMembers[] = {
      &ColumnParams::input,           &ColumnParams::target,           &ColumnParams::label,
      &ColumnParams::split,           &ColumnParams::input_roles,      &ColumnParams::target_roles,
      &ColumnParams::input_positions, &ColumnParams::target_positions, &ColumnParams::asked};

  static SchemaOf<ColumnParams> schema() {
    SchemaOf<ColumnParams> schema;
    for (std::size_t i = 0; i < std::size(kMembers); ++i)
      schema.add(std::string(kNamesOf<RecordField>[i]), kMembers[i], "");
    return schema;
  }
};

struct ImportDatasetParams {
  FilePath file, train, val, test;
  FormatChoice format = FormatChoice::kByName;
  TextTokens tokens = TextTokens::kRefuse;
  ColumnParams columns;
  std::vector<std::string> groups, pairs;
  Overlap overlap = Overlap::kRefuse;
  double val_share = ImportOptions().val_share;
  double test_share = ImportOptions().test_share;
  std::uint64_t seed = ImportOptions().seed;

  static SchemaOf<ImportDatasetParams> schema() {
    using Params = ImportDatasetParams;
    SchemaOf<Params> schema;
    schema.add("file", &Params::file,
               "all samples: JSON, JSON Lines or CSV. Their splits are lists of a JSON map or the "
               "field 'split'; without either, they are drawn");
    schema.add("train", &Params::train,
               "samples to train on, if each split has a file; or an input");
    schema.add("val", &Params::val, "the same, to choose by");
    schema.add("test", &Params::test, "the same, to measure on");
    schema.add("format", &Params::format, "of all files; by-name: .json, .jsonl and .ndjson, .csv");
    schema.add("tokens", &Params::tokens,
               "the tokens of sequences that are text, as all are in CSV: characters, or words "
               "with spaces between; lists: no sequence is text");
    schema.add_group(
        "columns", &Params::columns, ColumnParams::schema(),
        "names of fields or columns that have others: {input: text, label: sentiment}");
    schema.add("groups", &Params::groups,
               "fields or columns by which results are grouped, beside the map 'groups'");
    schema.add("pairs", &Params::pairs,
               "fields or columns with a key that the two samples of a pair share, beside the map "
               "'pair'");
    schema.add("overlap", &Params::overlap,
               "samples of train whose input is also in another split: refuse them, report (keep "
               "and count) them, or drop them from train");
    schema.add("val_share", &Params::val_share, "of all samples, where splits are drawn").above(0);
    schema.add("test_share", &Params::test_share, "of all samples, where splits are drawn")
        .above(0);
    schema.add("seed", &Params::seed, "of the draw").at_least(0);
    return schema;
  }

  const FilePath& file_of(const std::string& port) const {
    return port == "train" ? train : port == "val" ? val : port == "test" ? test : file;
  }

  std::optional<ImportFormat> format_of_file(const std::string& name) const {
    if (format == FormatChoice::kByName) return format_of(name);
    return value_of<ImportFormat>(name_of(format));
  }
};

constexpr const char* kWhole = "data";  // the port of a file with all splits; the parameter is file
constexpr const char* kUnknownFormat =
    "it does not end in .json, .jsonl, .ndjson or .csv; set 'format'";

// Each split comes from a parameter or an input, or all come from one.
void check_import_dataset(const StageDeclaration& stage, Diagnostics& diagnostics) {
  const auto params = read_params<ImportDatasetParams>(stage);
  const auto complain = [&](const SourceLocation& place, const std::string& message) {
    diagnostics.add(place, "{}: {}", stage.subject, message);
  };
  const auto is_given = [&](const std::string& port) {
    const bool by_input = std::ranges::find(stage.ports, port) != stage.ports.end();
    const std::string& file = params.file_of(port).path;
    const std::string name = port == kWhole ? "file" : port;
    const SourceLocation& place = stage.params.find(name)->location;
    if (by_input && !file.empty())
      complain(place, fmt::format("the parameter '{}' and the input '{}' are the same data in two "
                                  "places; give one",
                                  name, port));
    if (!file.empty() && !params.format_of_file(file))
      complain(place,
               fmt::format("parameter '{}': '{}': {}", name, printable(file), kUnknownFormat));
    return by_input || !file.empty();
  };
  const bool is_whole = is_given(kWhole);
  std::vector<std::string> missing;
  for (const std::string_view split : kSplitNames) {
    if (!is_given(std::string(split))) missing.emplace_back(split);
  }
  const SourceLocation& place = stage.params.location;
  if (is_whole && missing.size() < std::size(kSplitNames))
    complain(place, "the data is either one file or three, train, val and test");
  else if (!is_whole && missing.size() == std::size(kSplitNames))
    complain(place,
             "no data: give 'file', or 'train', 'val' and 'test', as parameters or inputs "
             "(of which 'file' is called 'data')");
  else if (!is_whole && !missing.empty())
    complain(place, fmt::format("no file for {}: give a parameter or an input of that name",
                                join(missing, " and ")));
  if (params.val_share + params.test_share >= 1)
    complain(stage.params.find("val_share")->location,
             "'val_share' and 'test_share' leave nothing to train on");
}

ImportOptions import_options_of(const ImportDatasetParams& params) {
  ImportOptions options;
  options.tokens = params.tokens;
  for (std::size_t i = 0; i < options.names.size(); ++i) {
    const std::string& name = params.columns.*ColumnParams::kMembers[i];
    if (!name.empty()) options.names[i] = name;
  }
  options.groups = params.groups;
  options.pairs = params.pairs;
  options.overlap = params.overlap;
  options.val_share = params.val_share;
  options.test_share = params.test_share;
  options.seed = params.seed;
  return options;
}

std::string read_file(const Path& path, const std::string& name) {
  if (std::filesystem::is_directory(path)) throw Error("{}: is a folder, not a file", name);
  std::optional<std::string> text = RealFileSystem().read(path);
  if (!text) throw Error("{}: no such file", name);
  return *std::move(text);
}

// The file of a port or its parameter; nothing if neither is given.
std::optional<ImportFile> file_for(const StageContext& context, const ImportDatasetParams& params,
                                   const std::string& port) {
  const std::string& file = params.file_of(port).path;
  const bool is_parameter = !file.empty();
  if (!is_parameter && !context.find_input(port)) return std::nullopt;
  const Path path = is_parameter ? context.folder() / file : context.input(port);
  const std::string name = is_parameter ? file : fmt::format("input '{}'", port);
  const auto format = params.format_of_file(path.filename().string());
  if (!format) throw Error("{}: {}", name, kUnknownFormat);
  return ImportFile{name, *format, port == kWhole ? "" : port,
                    [path, name] { return read_file(path, name); }};
}

}  // namespace

StageType import_dataset_stage() {
  std::vector<std::string> metrics = dataset_metric_names();
  metrics.emplace_back("dropped");
  return {
      .name = "import-dataset",
      .version = 2,
      .summary = "reads sequences with targets, labels or neither from JSON, JSON Lines or CSV",
      .example =
          "  data:\n"
          "    uses: import-dataset\n"
          "    with: {train: data/train.json, val: data/val.json, test: data/test.json, tokens: "
          "characters}\n"
          "    # each file: [{\"input\": \"374+814\", \"target\": \"1188\", \"groups\": "
          "{\"carries\": 1}}, …]\n",
      .params = schema_of<ImportDatasetParams>(),
      .inputs = {{.name = kWhole,
                  .help = "all samples, in place of the parameter 'file'",
                  .is_required = false},
                 {.name = "train",
                  .help = "samples to train on, in place of the parameter",
                  .is_required = false},
                 {.name = "val", .help = "the same, to choose by", .is_required = false},
                 {.name = "test", .help = "the same, to measure on", .is_required = false}},
      .outputs = {{"data", "data.safetensors", "the splits as tokens"},
                  {"table", "statistics.csv",
                   "how many samples of each split are in which group and class, have which "
                   "length, overlap, are repeated or contradict each other"},
                  {"metrics", "metrics.json",
                   "sizes, overlap, dropped, repeated, lengths, shares of groups and classes"}},
      .metrics = metrics,
      .check = check_import_dataset};
}

void run_import_dataset(StageContext& context) {
  const auto params = read_params<ImportDatasetParams>(context);
  std::vector<ImportFile> files;
  for (const char* port : {kWhole, "train", "val", "test"}) {
    if (std::optional<ImportFile> file = file_for(context, params, port))
      files.push_back(*std::move(file));
  }
  const ImportedDataset imported = import_dataset(files, import_options_of(params));
  context.throw_if_cancelled();
  if (!imported.ignored.empty())
    std::printf("fields that mean nothing here, and are ignored: %s\n",
                join({imported.ignored.begin(), imported.ignored.end()}, ", ").c_str());
  if (imported.data.kind() == TargetKind::kNone)
    std::printf("no targets and no labels: sequences whose own next tokens are to be predicted\n");
  DatasetSummary summary = summarize(imported.data);
  summary.metrics["dropped"] = imported.dropped;
  write_output(context, "data", to_safetensors(to_tensor_file(imported.data)));
  write_table(context, "table", summary.statistics);
  write_metrics(context, summary.metrics);
}

}  // namespace headway
