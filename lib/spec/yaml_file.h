// Reading YAML files that a person wrote, of which any may be missing, huge or no file at all.
#pragma once

#include <optional>
#include <string>

#include "lib/base/file_system.h"
#include "lib/base/source_location.h"

namespace headway {

// What the path leads to; a link that leads to itself stays as it is.
Path follow_links(const Path& file);

// The text of a file. Throws Error if there is none, with a similar name if there is one. A file
// that is larger than parse_yaml() takes is not read: then the result is nothing, and the mistake,
// located in `source`, is in `diagnostics`.
std::optional<std::string> read_yaml_text(const Path& file, FileSystem& files,
                                          const std::string* source, Diagnostics& diagnostics);

}  // namespace headway
