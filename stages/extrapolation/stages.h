// Stage types of the extrapolation study. NAME_stage() declares one, run_NAME() runs it, in the
// worker's extrapolation_native.cc if it needs LibTorch.
#pragma once

#include "lib/extrapolation/sorting.h"
#include "lib/stage/native_stage.h"

namespace headway {

struct GenerateSortingParams : SortingRecipe, SortingSizes {
  static SchemaOf<GenerateSortingParams> schema();
};
StageType generate_sorting_stage();
void run_generate_sorting(StageContext& context);

// A sorting classifier's accuracy at every length.
struct ExtrapolateParams {
  std::string beyond = "model";
  double confidence = 0.9;
  std::int64_t failures = 5;

  static SchemaOf<ExtrapolateParams> schema();
};
StageType extrapolate_stage();

// Properties of a model's positional encoding.
struct AnalyzePositionsParams {
  std::int64_t positions = 64;
  std::vector<std::int64_t> shifts = {1, 2, 4, 8};
  std::string beyond = "model";

  static SchemaOf<AnalyzePositionsParams> schema();
};
StageType analyze_positions_stage();

}  // namespace headway
