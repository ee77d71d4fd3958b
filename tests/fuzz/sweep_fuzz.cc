// A pipeline with sweeps, and axes as on the command line, one per line.
#include "lib/sweep/sweep_pipeline.h"
#include "lib/sweep/sweep_spec.h"
#include "tests/fuzz/pipelines.h"

using namespace headway;

namespace {

constexpr std::size_t kMostTrials = 50;  // each is a pipeline of its own

void load_sweep(const PipelineFile& file, const SweepRequest& request, FileSystem& files) {
  fuzz::accepts({"/fuzz/p.yaml:", "--axis ", "headway sweep:"}, [&] {
    const SweepLoader loader(file, request, fuzz::stages(), files);
    if (loader.count() > kMostTrials) return;
    for (const Trial& trial : loader.trials())
      fuzz::require(!trial.name.empty(), "a trial has a name");
    loader.load_all();
  });
}

}  // namespace

FUZZ_TARGET(sweep) {
  const std::vector<std::string> parts = fuzz::parts_of(input, 2);
  fuzz::Folder folder(parts[0]);
  fuzz::accepts({"/fuzz/p.yaml:"}, [&] {
    const PipelineFile file = read_file_with_sweeps(fuzz::kPipeline, folder.files);
    for (const std::string& name : keys_of(sweeps_of(file)))
      load_sweep(file, {name, {}, "", {}}, folder.files);
    const std::vector<std::string> axes = fuzz::lines_of(parts[1]);
    if (!axes.empty()) load_sweep(file, {"typed", {axes, {}}, "", {}}, folder.files);
  });
}
