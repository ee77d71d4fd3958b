// `prune-heads`: which heads can go together, and the model without them.
#pragma once

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct FineTuneParams {
  std::int64_t epochs = 0;
  double lr = 1e-4;
  std::int64_t batch = 64;
  std::int64_t shards = 2;
};

struct PruneHeadsParams {
  std::vector<double> tolerances = {1, 5};
  double checkpoint = 1;
  std::int64_t random_orders = 5;
  std::int64_t choose = 1000;
  FineTuneParams fine_tune;
  std::int64_t seed = 641;
};

const SchemaOf<PruneHeadsParams>& prune_heads_schema();
StageType prune_heads_stage();

void run_prune_heads(StageContext& context);

}  // namespace headway
