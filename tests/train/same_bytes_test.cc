// Trained weights do not depend on the processor, as long as it has FMA.
#include <catch2/catch_test_macros.hpp>

#include "lib/nn/kernels/instruction_set.h"
#include "lib/train/transformer_task.h"
#include "tests/nn/support.h"
#include "tests/nn/tiny_models.h"
#include "tests/train/half_trained.h"

namespace headway::testing {
namespace {

// While it lives, kernels use this instruction set.
class WithInstructionSet {
 public:
  explicit WithInstructionSet(InstructionSet set)
      : before_(std::exchange(instruction_set_in_use(), set)) {}
  ~WithInstructionSet() { instruction_set_in_use() = before_; }
  WithInstructionSet(const WithInstructionSet&) = delete;
  WithInstructionSet& operator=(const WithInstructionSet&) = delete;

 private:
  InstructionSet before_;
};

std::string trained_with(InstructionSet set, const TransformerConfig& config, const Split& split) {
  const WithInstructionSet with(set);
  const Dataset data = dataset_of(split, split);
  Parameters parameters(parameter_shapes(config));
  parameters.draw(1);
  TrainingOptions options = quick_options(2);
  options.shards = 2;
  options.dropout = {0.1, 0.1};
  options.weight_decay = 0.1;
  ThreadTeam team(2);
  TransformerTask task(config, data);
  const TrainingResult result = train(task, parameters, options, team, {});
  return bytes_of(result.best) + result.log.to_csv();
}

void check_same_bytes(TransformerConfig config, const Split& split) {
  config.d_model = 24;  // not whole registers
  config.d_ff = 40;
  const std::string narrow = trained_with(InstructionSet::kV3, config, split);
  CHECK(narrow == trained_with(InstructionSet::kV4, config, split));
  CHECK(narrow != trained_with(InstructionSet::kAny, config, split));  // rounds after each product
}

TEST_CASE("a training gives the same bytes with AVX2 and AVX-512") {
  if (best_instruction_set() != InstructionSet::kV4) SKIP("this processor has no AVX-512");
  for (const ModelKind kind : kEveryKind) {
    const Split split = uneven_data(kind, 60);
    for (const Encoding encoding : kEveryEncoding) {
      CAPTURE(name_of(kind), name_of(encoding));
      TransformerConfig config = config_for(kind, split);
      config.encoding = encoding;
      check_same_bytes(config, split);
    }
    for (const FeedKind feed : kEveryFeed) {
      CAPTURE(name_of(kind), name_of(feed));
      TransformerConfig config = config_for(kind, split);
      config.norm = NormPlace::kPre;
      config.ffn = feed;
      check_same_bytes(config, split);
    }
  }
  for (const Pooling pooling : kEveryPooling) {
    const Split split = uneven_data(ModelKind::kEncoder, 60);
    TransformerConfig config = config_for(ModelKind::kEncoder, split);
    config.pooling = pooling;
    CAPTURE(name_of(pooling));
    check_same_bytes(config, split);
  }
}

}  // namespace
}  // namespace headway::testing
