#include "lib/sweep/sweep_file.h"

#include <fmt/format.h>

namespace headway {
namespace {

constexpr const char* kSection = "sweeps";

}  // namespace

void refuse_trials_stage(const PipelineFile& file, Diagnostics& diagnostics) {
  if (const Value* trials = file.stages.find(kTrialsStage))
    diagnostics.add(trials->location,
                    fmt::format("a pipeline with sweeps cannot have a stage '{}': "
                                "that is the table of a sweep's trials",
                                kTrialsStage));
}

PipelineFile read_file_with_sweeps(const Path& path, FileSystem& files) {
  PipelineFile file = read_pipeline_file(path, files, {{kSection, "sweep"}});
  if (!sweeps_of(file).map()->empty()) refuse_trials_stage(file, file.diagnostics);
  return file;
}

const Value& sweeps_of(const PipelineFile& file) {
  return file.section(kSection);
}

}  // namespace headway
