// `extrapolate`: how right a classifier is at every length. The declaration; what runs it is in
// extrapolate_native.cc.
#pragma once

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct ExtrapolateParams {
  std::string beyond = "model";
  double confidence = 0.9;
  std::int64_t failures = 5;
};

const SchemaOf<ExtrapolateParams>& extrapolate_schema();
StageType extrapolate_stage();

void run_extrapolate(StageContext& context);

}  // namespace headway
