// The request with which a sweep last ran, kept in the store. So status, compare and gc know what
// the sweep's name means, also if its axes were given on the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/store/layout.h"
#include "lib/sweep/sweep_pipeline.h"

namespace headway {

Path saved_sweep_file(const Layout& layout, const std::string& pipeline, const std::string& sweep);

void save_sweep(FileSystem& files, const Layout& layout, const std::string& pipeline,
                const std::string& sweep, const SweepRequest& request);

// Nothing if the sweep never ran, or if the file is of another version or damaged.
std::optional<SweepRequest> find_saved_sweep(FileSystem& files, const Layout& layout,
                                             const std::string& pipeline, const std::string& sweep);

// The request with the axes and settings with which the sweep last ran, if it has a name but no
// axes and the file does not declare it. Its own settings come after those.
SweepRequest with_saved_axes(SweepRequest request, const PipelineFile& file, const Layout& layout,
                             FileSystem& files);

// A sweep as it last ran; if it never ran, as the file declares it. An empty `name` is the only
// sweep of the file. `sets` replace the saved ones, if there are any. Throws PipelineError.
SweepLoader load_saved_sweep(PipelineFile file, std::string name, const std::string& variant,
                             const std::vector<std::string>& sets, const Layout& layout,
                             const StageRegistry& registry, FileSystem& files);

// The sweeps that the file declares, and then others that ran.
std::vector<std::string> sweeps_known_for(const PipelineFile& file, const Layout& layout,
                                          FileSystem& files);

}  // namespace headway
