// The request of a sweep's last run, kept in the store. It gives status, compare and gc the meaning
// of the sweep's name, even if its axes came from the command line.
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

// Nullopt if the sweep never ran, or the file is damaged or of another version.
std::optional<SweepRequest> find_saved_sweep(FileSystem& files, const Layout& layout,
                                             const std::string& pipeline, const std::string& sweep);

// If the request has a name but no axes and the file does not declare the sweep: adds the saved
// axes and settings, with the request's own settings after them. Otherwise returns it unchanged.
SweepRequest with_saved_axes(SweepRequest request, const PipelineFile& file, const Layout& layout,
                             FileSystem& files);

// Loads a sweep as it last ran or, if it never ran, as declared. An empty `name` means the file's
// only sweep. Throws PipelineError.
SweepLoader load_saved_sweep(PipelineFile file, std::string name, const std::string& variant,
                             const std::vector<std::string>& sets, const Layout& layout,
                             const StageRegistry& registry, FileSystem& files);

// Sweeps that the file declares, then others that have run.
std::vector<std::string> sweeps_known_for(const PipelineFile& file, const Layout& layout,
                                          FileSystem& files);

}  // namespace headway
