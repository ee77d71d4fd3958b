// How a sweep was asked for last, so that status, compare and gc know what `headway sweep` meant by
// its name, with axes that were given on the command line.
#pragma once

#include <optional>
#include <string>

#include "lib/store/layout.h"
#include "lib/sweep/sweep_pipeline.h"

namespace headway {

Path saved_sweep_file(const Layout& layout, const std::string& pipeline, const std::string& sweep);

void remember_sweep(FileSystem& files, const Layout& layout, const std::string& pipeline,
                    const std::string& sweep, const SweepRequest& request);
// Nothing where it never ran.
std::optional<SweepRequest> recall_sweep(FileSystem& files, const Layout& layout,
                                         const std::string& pipeline, const std::string& sweep);

}  // namespace headway
