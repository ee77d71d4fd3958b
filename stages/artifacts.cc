#include "stages/artifacts.h"

#include <fmt/format.h>

#include "lib/base/error.h"

namespace headway {

// Messages use the input's name: the file's own is that of an object in the store.
TensorFile read_tensors(const StageContext& context, std::string_view input) {
  const Path& path = context.input(input);
  const std::optional<std::string> bytes = RealFileSystem().read(path);
  if (!bytes) throw Error(fmt::format("input '{}': no such file: {}", input, path.string()));
  return parse_safetensors(*bytes, fmt::format("input '{}'", input));
}

std::vector<FigureSource> read_table_inputs(const StageContext& context) {
  context.input("table");  // throws Error if nothing is connected
  const InputPaths& input = *context.find_input("table");
  std::vector<FigureSource> sources;
  for (std::size_t i = 0; i < input.paths.size(); ++i) {
    auto bytes = RealFileSystem().read(input.paths[i]);
    if (!bytes) throw Error("no such file: " + input.paths[i].string());
    const std::string name = i < input.items.size() ? input.items[i] : "";
    // The file's own name is that of an object in the store, which means nothing to people.
    const std::string shown = (name.empty() ? "table" : name) + input.paths[i].extension().string();
    sources.push_back({name, shown, std::move(*bytes)});
  }
  return sources;
}

void write_output(const StageContext& context, std::string_view output, std::string_view bytes) {
  RealFileSystem().write(context.output(output), bytes, Durability::kCached);
}

void write_table(const StageContext& context, std::string_view output, const Table& table) {
  write_output(context, output, table.to_csv());
}

void write_metrics(const StageContext& context, const Json& metrics) {
  write_output(context, "metrics", metrics.dump(1) + "\n");
}

}  // namespace headway
