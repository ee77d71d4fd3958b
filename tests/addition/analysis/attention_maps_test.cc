#include "lib/addition/analysis/attention_maps.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "lib/addition/addition.h"
#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/nn/seq2seq.h"
#include "lib/train/batches.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

TEST_CASE("attention maps hold every attention's weights, the questions and the answers") {
  const Checkpoint checkpoint = without_heads(random_checkpoint(tiny_config(1)), {{2, 0}});
  const Seq2SeqSplit rows = additions(2, {{15, 27}, {95, 17}});
  const TensorFile file = attention_maps(checkpoint.model(), rows);
  CHECK(file.at("encoder.0.self").shape == std::vector<std::int64_t>{2, 2, 5, 5});
  CHECK(file.at("decoder.0.self").shape == std::vector<std::int64_t>{2, 2, 3, 3});
  CHECK(file.at("decoder.0.cross").shape == std::vector<std::int64_t>{2, 1, 3, 5});
  CHECK(file.at("inputs").ints() == rows.inputs);
  CHECK(file.at("targets").ints() == rows.targets);
  CHECK(file.at("decoder_inputs").ints() == std::vector<Token>{kBos, 0, 4, kBos, 1, 1});
  CHECK(file.metadata.at("problems") == R"(["15+27=042","95+17=112"])");
  CHECK(*parse_json(file.metadata.at("heads")) ==
        Json{{"encoder.0.self", {0, 1}}, {"decoder.0.self", {0, 1}}, {"decoder.0.cross", {1}}});
  const Seq2SeqBatch batch = make_batch(rows, 0, 2);
  const at::Tensor said = greedy_decode(checkpoint.model(), batch.inputs, {}, kBos, 3);
  CHECK(file.at("predictions").ints() ==
        std::vector<Token>(said.data_ptr<Token>(), said.data_ptr<Token>() + 6));

  std::vector<float> cross;
  HeadHooks hooks;
  hooks.on_weights = [&](const AttentionSite& site, const at::Tensor& weights) {
    if (site.index != 2) return;
    cross.assign(weights.data_ptr<float>(), weights.data_ptr<float>() + weights.numel());
  };
  DropoutStream none;
  checkpoint.model().forward(batch, none, hooks);
  CHECK(file.at("decoder.0.cross").floats() == cross);
}

TEST_CASE("a written problem becomes a row like those of the data") {
  const Seq2SeqSplit like = additions(2, 1);
  Seq2SeqSplit rows = like;
  append_written("95+17", like, rows);
  REQUIRE(rows.size() == 2);
  CHECK(sequence_text(rows.input(1)) == "95+17");
  CHECK(sequence_text(rows.target(1)) == "112");
}

TEST_CASE("a problem that does not fit the data is refused") {
  const Seq2SeqSplit like = additions(2, {{15, 27}});
  for (const char* problem : {"", "+", "12", "1+2", "123+456", "12+345", "12-34", "1 +23",
                              "12+34=46", "99999999999999999999+1", "\xff\xff+\xff\xff"}) {
    CAPTURE(problem);
    Seq2SeqSplit rows = like;
    CHECK_THROWS_AS(append_written(problem, like, rows), Error);
    CHECK(rows.size() == 1);
  }
  Seq2SeqSplit rows = like;
  CHECK_THROWS_MATCHES(append_written("1+2", like, rows), Error,
                       Catch::Matchers::Message("problem '1+2' does not fit the data, whose "
                                                "problems are like 15+27=042"));
}

}  // namespace
}  // namespace headway::testing
