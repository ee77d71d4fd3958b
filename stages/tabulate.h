// `tabulate`: several tables as one to compare. The declaration; what runs it is in
// tabulate_native.cc.
#pragma once

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct TabulateParams {
  std::string value;
  std::string across;
  std::vector<std::string> by;
  std::vector<std::string> first;
  bool percent = false;
};

const SchemaOf<TabulateParams>& tabulate_schema();
StageType tabulate_stage();

void run_tabulate(StageContext& context);

}  // namespace headway
