// `analyze-positions`: what an encoding says about positions, measured. The declaration; what runs
// it is in analyze_positions_native.cc.
#pragma once

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct AnalyzePositionsParams {
  std::int64_t positions = 64;
  std::vector<std::int64_t> shifts = {1, 2, 4, 8};
  std::string beyond = "model";
};

const SchemaOf<AnalyzePositionsParams>& analyze_positions_schema();
StageType analyze_positions_stage();

void run_analyze_positions(StageContext& context);

}  // namespace headway
