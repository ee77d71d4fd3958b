#include "stages/table_inputs.h"

#include "lib/base/error.h"

namespace headway {

std::vector<FigureSource> read_table_inputs(const StageContext& context) {
  context.input("table");  // an Error where nothing is connected
  const InputPaths& input = *context.find_input("table");
  std::vector<FigureSource> sources;
  for (std::size_t i = 0; i < input.paths.size(); ++i) {
    auto bytes = RealFileSystem().read(input.paths[i]);
    if (!bytes) throw Error("no such file: " + input.paths[i].string());
    const std::string name = i < input.items.size() ? input.items[i] : "";
    // The file's own name is that of an object in the store, which says nothing to people.
    const std::string shown = (name.empty() ? "table" : name) + input.paths[i].extension().string();
    sources.push_back({name, shown, std::move(*bytes)});
  }
  return sources;
}

}  // namespace headway
