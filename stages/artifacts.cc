#include "stages/artifacts.h"

#include <fmt/format.h>

#include "lib/base/error.h"

namespace headway {

// People know the input's name; the file's own is that of an object in the store.
TensorFile read_tensors(const StageContext& context, std::string_view input) {
  const Path& path = context.input(input);
  const std::optional<std::string> bytes = RealFileSystem().read(path);
  if (!bytes) throw Error(fmt::format("input '{}': no such file: {}", input, path.string()));
  return parse_safetensors(*bytes, fmt::format("input '{}'", input));
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
