// The sections of a pipeline file after `include`, variants and --set, before stages are looked at.
#pragma once

#include <string>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/spec/interpolate.h"
#include "lib/spec/load.h"

namespace headway {

struct Document {
  std::string name;
  Value params;  // overridden and resolved
  Value stages;  // a map, checked to be one
  std::vector<std::string> variants;
};

Document read_document(const Path& file, const LoadOptions& options, FileSystem& files,
                       InterpolationBudget& budget, Diagnostics& diagnostics);

// Complains about every key of the map that is not in `known`.
void check_keys(const Value& map, const std::vector<std::string>& known, const std::string& subject,
                Diagnostics& diagnostics);

}  // namespace headway
