// Files of datasets: arrays and what their metadata says about them.
#include "lib/data/dataset_summary.h"
#include "tests/fuzz/fuzz.h"

using namespace headway;

FUZZ_TARGET(dataset) {
  fuzz::accepts({"f: "}, [&] {
    const Dataset dataset = dataset_from(parse_safetensors(input, "f"), "f");
    const TensorFile file = to_tensor_file(dataset);
    fuzz::require(
        dataset_from(parse_safetensors(to_safetensors(file), "again"), "again") == dataset,
        "a dataset is the same when it is read again");
    fuzz::require(summarize(dataset).metrics.at("train") == dataset.split("train").size(),
                  "a dataset can be counted");
  });
}
