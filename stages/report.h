// `report`: a page and a Markdown file about the results of a run. The engine runs it itself: it is
// fast and does not need LibTorch.
#pragma once

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct ReportParams {
  FilePath text;  // the template
  std::string title;
  bool times = true;
  std::vector<std::string> missing;
  std::vector<std::string> warnings;
};

const SchemaOf<ReportParams>& report_schema();
StageType report_stage();

}  // namespace headway
