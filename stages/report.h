// `report`: what a run found, as a page to read and as a Markdown file. The engine makes it itself:
// it is quick, and needs no LibTorch.
#pragma once

#include "lib/report/directives.h"
#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct ReportParams {
  FilePath text;  // the template
  std::string title;
  bool times = true;
};

const SchemaOf<ReportParams>& report_schema();
// `token_label` names the tokens of attention maps; null if no study has tokens.
StageType report_stage(const TokenNamer& token_label);

}  // namespace headway
