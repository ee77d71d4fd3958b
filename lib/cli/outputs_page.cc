#include "lib/cli/outputs_page.h"

#include "lib/base/error.h"
#include "lib/cli/output.h"
#include "lib/report/default_report.h"
#include "lib/report/outputs_index.h"
#include "lib/sweep/saved_sweep.h"

namespace headway {

Path write_outputs_page(FileSystem& files, const Path& outputs) {
  const Layout layout(outputs);
  return write_outputs_index(files, outputs, [&](const KnownPipeline& known) {
    return find_saved_sweep(files, layout, known.name, known.variant).has_value();
  });
}

void refresh_outputs_page(FileSystem& files, const Path& outputs, const PipelineSpec& pipeline) {
  try {
    if (!report_stages(pipeline).empty() || files.exists(outputs / "index.html"))
      write_outputs_page(files, outputs);
  } catch (const Error& error) {
    complain("headway: {} is not up to date: {}\n", display_path(outputs / "index.html"),
             error.what());
  }
}

}  // namespace headway
