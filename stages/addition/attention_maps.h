// `attention-maps`: what the heads look at, for single problems and on the whole.
#pragma once

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct AttentionMapsParams {
  std::vector<std::string> problems;
  std::int64_t sampled = 4;
  std::string split = "test";
  std::int64_t seed = 641;
};

const SchemaOf<AttentionMapsParams>& attention_maps_schema();
StageType attention_maps_stage();

void run_attention_maps(StageContext& context);

}  // namespace headway
