// A pipeline file with a file that it includes: as it stands, and each of its variants.
#include "lib/spec/yaml.h"
#include "tests/fuzz/pipelines.h"

using namespace headway;

FUZZ_TARGET(pipeline) {
  const std::vector<std::string> parts = fuzz::parts_of(input, 2);
  fuzz::Folder folder(parts[0], parts[1]);
  fuzz::accepts({"/fuzz/p.yaml:", "/fuzz/included.yaml:", "--variant "}, [&] {
    const PipelineFile file = read_pipeline_file(fuzz::kPipeline, folder.files);
    const auto load = [&](const std::string& variant) {
      fuzz::accepts({"/fuzz/p.yaml:", "/fuzz/included.yaml:", "--variant "}, [&] {
        load_variation(file, {variant, {}, {}}, fuzz::stages(), folder.files);
      });
    };
    load("");
    for (const std::string& variant : keys_of(file.variants)) load(variant);
  });
}
