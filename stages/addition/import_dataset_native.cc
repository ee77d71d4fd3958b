#include <fmt/format.h>

#include <filesystem>

#include "lib/addition/dataset_summary.h"
#include "lib/addition/import_dataset.h"
#include "lib/base/error.h"
#include "stages/addition/import_dataset.h"

namespace headway {
namespace {

Overlap overlap_of(const std::string& word) {
  return word == "report" ? Overlap::kReport : word == "drop" ? Overlap::kDrop : Overlap::kRefuse;
}

// `name` is as the pipeline gives it, and so relative to the pipeline's folder.
DatasetText read_text(FileSystem& files, const Path& folder, const std::string& name) {
  if (std::filesystem::is_directory(folder / name)) {
    throw Error(fmt::format("{}: is a folder, not a file", name));
  }
  std::optional<std::string> text = files.read(folder / name);
  if (!text) throw Error(fmt::format("{}: no such file", name));
  return {name, std::move(*text)};
}

}  // namespace

void run_import_dataset(StageContext& context) {
  const ImportDatasetParams params = import_dataset_schema().read(context.params());
  RealFileSystem files;
  const auto text = [&](const FilePath& file) {
    return read_text(files, context.folder(), file.path);
  };
  const ImportedDataset imported = import_dataset(text(params.train), text(params.val),
                                                  text(params.test), overlap_of(params.overlap));
  context.throw_if_cancelled();
  Json metrics = dataset_metrics(imported.data);
  metrics["dropped"] = imported.dropped;
  const auto write = [&](const char* output, const std::string& bytes) {
    files.write(context.output(output), bytes, Durability::kCached);
  };
  write("data", to_safetensors(to_tensor_file(imported.data)));
  write("table", addition_statistics(imported.data).to_csv());
  write("metrics", metrics.dump(1) + "\n");
}

}  // namespace headway
