// Where the results of a run come from, for their records.
#pragma once

#include "lib/base/json.h"
#include "lib/spec/pipeline_spec.h"

namespace headway {

// file; arguments (--variant, --set); digests of the file and of those it includes; commit: that of
// the folder's git repository, with "-dirty" if tracked files have changed, or null. `work` is a
// folder for temporary files. Takes some milliseconds, because it asks git.
Json origin_of(const PipelineSpec& pipeline, const Path& work);

}  // namespace headway
