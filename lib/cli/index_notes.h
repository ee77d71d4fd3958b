// What outputs/index.html says about a pipeline's results: how its stages stand, the metrics
// that its file expects, and of a sweep the best trial.
#pragma once

#include "lib/cli/verbs.h"
#include "lib/report/outputs_index.h"

namespace headway {

// From the file as it is now and the last results. Says less where the file cannot be loaded.
IndexNotes index_notes(const KnownPipeline& known, const Layout& layout, CommandLine& line);

}  // namespace headway
