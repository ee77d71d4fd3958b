// outputs/index.html: the page over all that ran with these outputs.
#pragma once

#include "lib/base/file_system.h"

namespace headway {

// Writes it anew, from what the store knows; its path. What cannot be read is left out.
Path write_outputs_index(FileSystem& files, const Path& outputs);

}  // namespace headway
