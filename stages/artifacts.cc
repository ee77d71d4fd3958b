#include "stages/artifacts.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"

namespace headway {
namespace {

// The paths of all values, "classes.critical"; null stands for no value.
void add_paths(const Json& metrics, const std::string& prefix, std::vector<std::string>& paths) {
  for (const auto& [name, value] : metrics.items()) {
    if (value.is_object())
      add_paths(value, prefix + name + ".", paths);
    else if (!value.is_null())
      paths.push_back(prefix + name);
  }
}

}  // namespace

// Messages use the input's name: the file's own is that of an object in the store.
TensorFile read_tensors(const StageContext& context, std::string_view input) {
  const Path& path = context.input(input);
  const std::optional<std::string> bytes = RealFileSystem().read(path);
  if (!bytes) throw Error("input '{}': no such file: {}", input, path.string());
  return parse_safetensors(*bytes, fmt::format("input '{}'", input));
}

Dataset read_dataset(const StageContext& context) {
  return dataset_from(read_tensors(context, "data"), "input 'data'");
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
    const std::string file = (name.empty() ? "table" : name) + input.paths[i].extension().string();
    sources.push_back({name, file, std::move(*bytes)});
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

void check_metrics(const StageContext& context, const StageType& type) {
  if (std::ranges::find(type.outputs, "metrics", &Output::name) == type.outputs.end()) return;
  std::vector<std::string> paths;
  add_paths(Json::parse(RealFileSystem().read(context.output("metrics")).value()), "", paths);
  for (const std::string& path : paths) {
    if (type.metrics.empty() || !type.declares_metric(path))
      throw Error("the stage wrote the metric '{}', which its type '{}' does not declare", path,
                  type.name);
  }
}

}  // namespace headway
