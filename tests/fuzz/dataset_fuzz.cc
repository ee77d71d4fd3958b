// Datasets that other programs wrote as JSON: train, val and test.
#include "lib/addition/import_dataset.h"
#include "tests/fuzz/fuzz.h"

using namespace headway;

FUZZ_TARGET(dataset) {
  const std::vector<std::string> parts = fuzz::parts_of(input, 3);
  for (const Overlap overlap : {Overlap::kRefuse, Overlap::kReport, Overlap::kDrop}) {
    fuzz::accepts({"train.json: ", "val.json: ", "test.json: "}, [&] {
      const ImportedDataset imported = import_dataset(
          {"train.json", parts[0]}, {"val.json", parts[1]}, {"test.json", parts[2]}, overlap);
      const TensorFile file = to_tensor_file(imported.data);
      fuzz::require(to_tensor_file(seq2seq_data_from(file, "again")) == file,
                    "an imported dataset can be read");
    });
  }
}
