// A pipeline, and arguments of --set that change it, one per line.
#include "tests/fuzz/pipelines.h"

using namespace headway;

FUZZ_TARGET(overrides) {
  const std::vector<std::string> parts = fuzz::parts_of(input, 2);
  fuzz::Folder folder(parts[0]);
  fuzz::accepts({"/fuzz/p.yaml:", "--set "}, [&] {
    load_variation(read_pipeline_file(fuzz::kPipeline, folder.files),
                   {"", fuzz::lines_of(parts[1]), {}}, fuzz::stages(), folder.files);
  });
}
