// `generate-sorting`: a dataset of sorted and unsorted sequences. The declaration is for both
// programs; what runs it is in generate_sorting_native.cc. Neither needs LibTorch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/extrapolation/sorting.h"
#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct GenerateSortingParams {
  std::int64_t shortest = 8;
  std::int64_t longest = 16;
  std::int64_t range = 100;
  std::string negatives = "swaps";
  double adjacent = 0.5;
  double crowded = 0;
  double sorted = 0.5;
  bool fresh = false;
  std::int64_t train = 10000;
  std::int64_t val = 2000;
  std::int64_t test = 2000;
  std::vector<std::int64_t> test_lengths = {8, 12, 16, 24, 32, 64, 128, 256};
  std::int64_t test_size = 500;
  std::int64_t test_values = 131'072;
  std::int64_t seed = 641;
};

const SchemaOf<GenerateSortingParams>& generate_sorting_schema();
SortingRecipe sorting_recipe(const GenerateSortingParams& params);
SortingSizes sorting_sizes(const GenerateSortingParams& params);
StageType generate_sorting_stage();

void run_generate_sorting(StageContext& context);

}  // namespace headway
