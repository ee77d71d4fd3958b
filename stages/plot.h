// `plot`: draws a figure from what analyses made, with gnuplot. The declaration; run_plot, which
// draws, is in plot_native.cc.
#pragma once

#include <cstdint>
#include <string>

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct PlotParams {
  std::string kind;
  std::string title;
  std::int64_t problem = 0;
  std::string x;
  std::string rows;
  std::string metric;
  std::string goal = "max";
  std::int64_t width = 0;
  std::int64_t height = 0;
};

const SchemaOf<PlotParams>& plot_schema();
StageType plot_stage();

void run_plot(StageContext& context);

}  // namespace headway
