#include "lib/stage/stage_type.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/test_stages.h"

namespace headway {
namespace {

using testing::test_stages;

TEST_CASE("stage types are found by name and listed in order", "[stage]") {
  CHECK(test_stages().names() == std::vector<std::string>{"make-data", "measure-model",
                                                          "plot-tables", "shell", "train-model"});
  REQUIRE(test_stages().find("train-model"));
  CHECK(test_stages().find("train-model")->find_input("start")->is_required == false);
  CHECK_FALSE(test_stages().find("train-model")->find_input("model"));
  CHECK_FALSE(test_stages().find("train"));
}

TEST_CASE("the help of a stage type covers its whole declaration", "[stage]") {
  CHECK(help_text(*test_stages().find("train-model")) ==
        R"(train-model (version 1): trains

parameters (`with`):
  epochs: integer, between 1 and 1000, default 10
      passes over the data
  lr: number, above 0, default 0.001
      learning rate
  shuffle: boolean (true or false), default true
      another order every epoch
  mode: text, one of fast | exact, default "fast"
      how
  note: text, default ""
      a remark
  seeds: list of integers, at least 0, default [1]
      of the weights
  betas: list of numbers, default [0.9,0.999]
      of the optimiser
  config: file, default ""
      a file
  code: list of files, default []
      files
  variable: environment variable, default ""
      of the environment
  model: map
      the model
  model.d_model: integer, at least 1, default 64
      width
  model.n_heads: integer, between 1 and 64, default 4
      heads
  model.dropout: number, between 0 and 1, default 0.1
      share dropped

inputs (`in`):
  data   required  one  what to learn
  start  optional  one  a model to go on from

outputs:
  model    model.bin     the model
  metrics  metrics.json  how good it is
)");
}

TEST_CASE("a type declares metrics by name or by pattern", "[stage]") {
  const StageType& type = *test_stages().find("measure-model");
  CHECK(type.declares_metric("greedy"));
  CHECK(type.declares_metric("accuracy.swaps.256"));
  CHECK(type.declares_metric("removed.1.heads"));
  CHECK_FALSE(type.declares_metric("greddy"));
  CHECK_FALSE(type.declares_metric("accuracy"));
  CHECK_FALSE(type.declares_metric("removed.1.head"));
}

TEST_CASE("where groups are allowed, the beginning of a declared path is one", "[stage]") {
  const StageType& type = *test_stages().find("measure-model");
  CHECK(type.declares_metric("accuracy", true));
  CHECK(type.declares_metric("removed", true));
  CHECK_FALSE(type.declares_metric("accu", true));
  CHECK_FALSE(type.declares_metric("greedy.low", true));
}

TEST_CASE("a type that does not know its metrics may have any", "[stage]") {
  CHECK(test_stages().find("shell")->declares_metric("anything"));
}

TEST_CASE("a metric that is not declared is answered with the closest, or with all", "[stage]") {
  const StageType& type = *test_stages().find("measure-model");
  CHECK(type.no_metric_text("greddy") == "no metric 'greddy'; did you mean 'greedy'?");
  CHECK(type.no_metric_text("acuracy.swaps.256") ==
        "no metric 'acuracy.swaps.256'; did you mean 'accuracy.swaps.256'?");
  CHECK(type.no_metric_text("perplexity") ==
        "no metric 'perplexity' (it has greedy, loss, accuracy.*, removed.*.heads)");
}

TEST_CASE("the help of a stage type lists its metrics", "[stage]") {
  CHECK(help_text(*test_stages().find("measure-model"))
            .ends_with("\nmetrics (in `expect`; elsewhere as STAGE.METRIC):\n"
                       "  greedy, loss, accuracy.*, removed.*.heads\n"));
}

TEST_CASE("the help of a stage type without ports says so", "[stage]") {
  CHECK(help_text(*test_stages().find("make-data")) ==
        "make-data (version 1): \n"
        "\ninputs (`in`):\n  none\n"
        "\noutputs:\n  data  data.bin  the data\n");
}

TEST_CASE("the help of a stage type whose runs continue shorter ones says so", "[stage]") {
  StageType type = *test_stages().find("make-data");
  type.prefix_params = PrefixParams{.amount = "epochs", .whole = "schedule_epochs"};
  CHECK(
      help_text(type).starts_with("make-data (version 1): \n"
                                  "\nA run goes on from the state of the longest one with fewer "
                                  "epochs that is equal in all else,\n"
                                  "schedule_epochs included (0 there means: as many as epochs).\n"
                                  "\ninputs (`in`):\n"));
}

}  // namespace
}  // namespace headway
