// `report`: what a run found, as a page to read and as a Markdown file. The engine makes it itself:
// it is quick, and needs no LibTorch.
#pragma once

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct ReportParams {
  FilePath text;  // the template
  std::string title;
  bool times = true;
};

const SchemaOf<ReportParams>& report_schema();
StageType report_stage();

}  // namespace headway
