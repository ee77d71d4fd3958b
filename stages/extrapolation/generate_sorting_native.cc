#include "lib/extrapolation/sorting_summary.h"
#include "stages/extrapolation/generate_sorting.h"

namespace headway {

void run_generate_sorting(StageContext& context) {
  const GenerateSortingParams params = generate_sorting_schema().read(context.params());
  const SortingData data = generate_sorting(sorting_recipe(params), sorting_sizes(params));
  context.throw_if_cancelled();
  RealFileSystem files;
  const auto write = [&](const char* output, const std::string& bytes) {
    files.write(context.output(output), bytes, Durability::kCached);
  };
  write("data", to_safetensors(to_tensor_file(data)));
  write("table", sorting_statistics(data).to_csv());
  write("metrics", sorting_metrics(data).dump(1) + "\n");
}

}  // namespace headway
