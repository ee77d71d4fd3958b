// A stage type for tests: small, but with all that a training stage has. Trains y = a x + b with
// LibTorch, reports progress, saves its state, resumes to the same bytes, and misbehaves on demand.
// The declaration needs no LibTorch; run_fit_line, which does, is in fit_line_native.cc.
#pragma once

#include <cstdint>
#include <string>

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway::testing {

// What the samples are drawn from.
inline constexpr double kTrueSlope = 3;
inline constexpr double kTrueIntercept = -2;

struct FitLineParams {
  std::int64_t steps = 200;
  std::int64_t samples = 64;
  double lr = 0.1;
  double noise = 0.1;
  std::int64_t seed = 1;
  double slow_ms = 0;
  std::string misbehave = "none";
};

const SchemaOf<FitLineParams>& fit_line_schema();
StageType fit_line_type();  // outputs: model (a and b), metrics (the loss)

void run_fit_line(StageContext& context);

}  // namespace headway::testing
