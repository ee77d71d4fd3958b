// `ablate-heads`: each head switched off in turn.
#pragma once

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct AblateHeadsParams {
  std::string mode = "zero";
  std::string split = "test";
};

const SchemaOf<AblateHeadsParams>& ablate_heads_schema();
StageType ablate_heads_stage();

void run_ablate_heads(StageContext& context);

}  // namespace headway
