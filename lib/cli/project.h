// Where results go. `outputs/` belongs to a project, not to the folder that headway is called in:
// it stands in the nearest folder, from the pipeline's file upwards, that has outputs/.headway or
// an (empty) file .headway-project; if there is none, in the current folder. A verb without a
// pipeline's file starts at the current folder.
#pragma once

#include <string>

#include "lib/base/file_system.h"

namespace headway {

// Throws Error if the current folder is gone.
Path absolute_path(const Path& path);

// The folder that outputs/ stands in, and the site file may (lib/cluster/site.h); absolute.
Path project_root(const std::string& pipeline_file);

// The absolute path. The first call says on standard error where the outputs are, if they are not
// in the current folder.
Path project_outputs(const std::string& pipeline_file);

// Whether we may write to these outputs, or create them. Does not write.
bool may_write(const Path& outputs);
// Throws Error that says to whom they belong and what to do, unless we may.
void require_writable(const Path& outputs);

// If the folder belongs to a group that may write to it (chmod g+ws), the group gets the same
// rights to everything that we create from now on, whatever the umask says.
void share_with_group(const Path& outputs);

}  // namespace headway
