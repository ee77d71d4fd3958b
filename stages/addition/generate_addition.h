// `generate-addition`: a dataset of additions. The declaration is for both programs; what runs it
// is in generate_addition_native.cc. Neither needs LibTorch.
#pragma once

#include <cstdint>
#include <string>

#include "lib/addition/addition.h"
#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct GenerateAdditionParams {
  int digits = 3;
  std::int64_t train = 10000;
  std::int64_t val = 2000;
  std::int64_t test = 2000;
  std::string balance = "none";
  std::int64_t seed = 641;
};

const SchemaOf<GenerateAdditionParams>& generate_addition_schema();
AdditionSizes addition_sizes(const GenerateAdditionParams& params);
StageType generate_addition_stage();

void run_generate_addition(StageContext& context);

}  // namespace headway
