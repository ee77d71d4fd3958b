// Statistics of controlled attention: spread evenly, or forced onto chosen keys.
#include "lib/addition/analysis/attention_statistics.h"

#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_pinv.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "lib/train/batches.h"
#include "tests/nn/support.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

using at::Tensor;

// Two digits: the input a1 a0 + b1 b0 stands at 0 1 2 3 4, the sum s2 s1 s0 at 0 1 2. Carries: into
// s2 and s1; into s1; none.
const std::vector<AdditionProblem> kAttended = {{95, 17}, {15, 27}, {11, 22}};

// One layer, one head at each site, that sees positions and no tokens.
Checkpoint position_model() {
  Seq2SeqConfig config = tiny_config(1);
  config.d_model = 16;
  config.n_heads = 1;
  Checkpoint checkpoint = random_checkpoint(config);
  const ParameterMap parameters = checkpoint.parameters.views(false);
  parameters.at("encoder.embedding").zero_();
  parameters.at("decoder.embedding").zero_();
  for (const auto& [name, parameter] : parameters) {
    if (name.find(".q") != std::string::npos) parameter.zero_();  // even attention, so far
  }
  return checkpoint;
}

// Makes the site's query t look at key wanted[t] only. queries [T, d] and keys [S, d] are what its
// projections get.
void force(const Checkpoint& checkpoint, const std::string& site, const Tensor& queries,
           const Tensor& keys, const std::vector<std::int64_t>& wanted) {
  const std::int64_t d = checkpoint.config.d_model;
  Tensor scores = at::zeros({queries.size(0), keys.size(0)}, at::kDouble);
  for (std::size_t t = 0; t < wanted.size(); ++t) {
    scores[static_cast<std::int64_t>(t)][wanted[t]] = 400;
  }
  // queries W_q^T (keys)^T = scores, with the keys as they are.
  const Tensor weight =
      at::matmul(at::matmul(at::linalg_pinv(queries.to(at::kDouble)), scores),
                 at::linalg_pinv(keys.to(at::kDouble).t().contiguous()));  // [d, d]
  const ParameterMap parameters = checkpoint.parameters.views(false);
  const bool cross = parameters.contains(site + ".kv.weight");
  parameters.at(site + (cross ? ".q.weight" : ".qkv.weight")).narrow(0, 0, d).copy_(weight.t());
  parameters.at(site + (cross ? ".kv.weight" : ".qkv.weight"))
      .narrow(0, cross ? 0 : d, d)
      .copy_(at::eye(d));
  parameters.at(site + (cross ? ".kv.bias" : ".qkv.bias")).zero_();
}

// The input of a site for the first sample: the same for all, as only positions are seen.
Seq2SeqWalk walk_to(const Checkpoint& checkpoint, const Seq2SeqSplit& split, std::size_t site) {
  const Seq2Seq model = checkpoint.model();
  Seq2SeqWalk walk = model.begin(make_batch(split, 0, 1));
  DropoutStream none;
  while (walk.next < site) model.absorb(walk, model.attend(walk, none).z, none);
  return walk;
}

HeadStatistics statistics_at(const Checkpoint& checkpoint, const Seq2SeqSplit& split,
                             std::size_t site, std::size_t team_size = 1) {
  ThreadTeam team(team_size);
  const auto statistics = attention_statistics(checkpoint.model(), split, team);
  return statistics.at(site);
}

void check_mean(const Mean& mean, double value, double count) {
  CHECK(std::abs(mean.value() - value) < 1e-4);
  CHECK(mean.count == count);
}

TEST_CASE("uniform attention has the statistics of uniform weights") {
  const Checkpoint checkpoint = position_model();
  const Seq2SeqSplit split = additions(2, kAttended);
  const HeadStatistics encoder = statistics_at(checkpoint, split, 0);
  check_mean(encoder.diagonal, 0.2, 15);
  check_mean(encoder.previous, 0.2, 12);
  check_mean(encoder.operator_, 0.2, 15);
  check_mean(encoder.column, 0.2, 12);        // the four digits of each
  check_mean(encoder.carry, 0.4, 6);          // a1 and b1 look at a0 and b0
  check_mean(encoder.carry_with, 0.4, 4);     // 95+17 and 15+27
  check_mean(encoder.carry_without, 0.4, 2);  // 11+22
  CHECK(encoder.leading.count == 0);
  check_mean(encoder.entropy, 1, 15);
  check_mean(encoder.sparsity, 0, 15);

  const HeadStatistics self = statistics_at(checkpoint, split, 1);
  check_mean(self.diagonal, (1 + 1.0 / 2 + 1.0 / 3) / 3, 9);
  check_mean(self.previous, (1.0 / 2 + 1.0 / 3) / 2, 6);
  check_mean(self.entropy, 1, 6);  // the first query has nothing to choose from
  check_mean(self.sparsity, 0, 6);
  CHECK(self.operator_.count == 0);
  CHECK(self.column.count == 0);
  CHECK(self.carry.count == 0);
  CHECK(std::isnan(self.carry.value()));
  CHECK(self.leading.count == 0);

  const HeadStatistics cross = statistics_at(checkpoint, split, 2);
  CHECK(cross.diagonal.count == 0);
  CHECK(cross.previous.count == 0);
  check_mean(cross.operator_, 0.2, 9);
  check_mean(cross.column, 0.4, 6);  // s1 and s0
  check_mean(cross.carry, 0.4, 3);   // s1
  check_mean(cross.carry_with, 0.4, 2);
  check_mean(cross.carry_without, 0.4, 1);
  check_mean(cross.leading, 0.4, 3);  // s2
  check_mean(cross.entropy, 1, 9);
  check_mean(cross.sparsity, 0, 9);
}

TEST_CASE("an encoder head that looks at the other number's digit aligns columns") {
  const Checkpoint checkpoint = position_model();
  const Seq2SeqSplit split = additions(2, kAttended);
  const Tensor x = walk_to(checkpoint, split, 0).encoded;
  force(checkpoint, "encoder.0.self", x, x, {3, 4, 2, 0, 1});
  const HeadStatistics head = statistics_at(checkpoint, split, 0);
  check_mean(head.column, 1, 12);
  check_mean(head.carry, 0, 6);
  check_mean(head.diagonal, 0.2, 15);   // the + alone
  check_mean(head.operator_, 0.2, 15);  // the same
  check_mean(head.previous, 0, 12);
  check_mean(head.entropy, 0, 15);
  check_mean(head.sparsity, 1, 15);
}

TEST_CASE("an encoder head that looks at the column to the right looks where carries come from") {
  const Checkpoint checkpoint = position_model();
  const Seq2SeqSplit split = additions(2, kAttended);
  const Tensor x = walk_to(checkpoint, split, 0).encoded;
  force(checkpoint, "encoder.0.self", x, x, {4, 0, 1, 2, 2});  // of a1 and b1, only a1 looks there
  const HeadStatistics head = statistics_at(checkpoint, split, 0);
  check_mean(head.carry, 0.5, 6);
  check_mean(head.carry_with, 0.5, 4);
  check_mean(head.column, 0, 12);
  check_mean(head.operator_, 0.4, 15);
  check_mean(head.previous, 0.75, 12);  // a0 on a1, + on a0, b1 on +
  check_mean(head.diagonal, 0, 15);
}

TEST_CASE("a decoder head that looks at the previous token has all its weight there") {
  const Checkpoint checkpoint = position_model();
  const Seq2SeqSplit split = additions(2, kAttended);
  const Tensor x = walk_to(checkpoint, split, 1).decoded;
  force(checkpoint, "decoder.0.self", x, x, {0, 0, 1});
  const HeadStatistics head = statistics_at(checkpoint, split, 1);
  check_mean(head.previous, 1, 6);
  check_mean(head.diagonal, 1.0 / 3, 9);  // the first has no other
  check_mean(head.sparsity, 1, 6);
}

TEST_CASE("a cross head's columns and carries are those of the digit being predicted") {
  const Checkpoint checkpoint = position_model();
  const Seq2SeqSplit split = additions(2, kAttended);
  const Seq2SeqWalk walk = walk_to(checkpoint, split, 2);
  // s2 looks at the +; s1 at b0, where its carry comes from; s0 at a0, its own column.
  force(checkpoint, "decoder.0.cross", walk.decoded, walk.encoded, {2, 4, 1});
  const HeadStatistics head = statistics_at(checkpoint, split, 2);
  check_mean(head.column, 0.5, 6);  // s0 yes, s1 no
  check_mean(head.carry, 1, 3);
  check_mean(head.carry_with, 1, 2);     // 95+17 and 15+27
  check_mean(head.carry_without, 1, 1);  // 11+22
  check_mean(head.leading, 0, 3);
  check_mean(head.operator_, 1.0 / 3, 9);
  check_mean(head.entropy, 0, 9);
}

TEST_CASE("a cross head's weight for the leading digit does not count as weight on a carry") {
  const Checkpoint checkpoint = position_model();
  const Seq2SeqSplit split = additions(2, kAttended);
  const Seq2SeqWalk walk = walk_to(checkpoint, split, 2);
  // s2 looks at b1, the leftmost column; s1 at a1 and s0 at b0, their own columns.
  force(checkpoint, "decoder.0.cross", walk.decoded, walk.encoded, {3, 0, 4});
  const HeadStatistics head = statistics_at(checkpoint, split, 2);
  check_mean(head.leading, 1, 3);
  check_mean(head.column, 1, 6);
  check_mean(head.carry, 0, 3);
  check_mean(head.carry_with, 0, 2);
  check_mean(head.carry_without, 0, 1);
}

TEST_CASE("a sum of one-digit numbers has a leading digit but no column to the right") {
  const Checkpoint checkpoint = position_model();
  const Seq2SeqSplit split = additions(1, 10);
  const HeadStatistics cross = statistics_at(checkpoint, split, 2);
  check_mean(cross.leading, 2.0 / 3, 10);
  check_mean(cross.column, 2.0 / 3, 10);
  CHECK(cross.carry.count == 0);
  CHECK(statistics_at(checkpoint, split, 0).carry.count == 0);
}

TEST_CASE("statistics cover all batches and do not depend on the team's size") {
  const Checkpoint& checkpoint = half_trained_adder();
  const Seq2SeqSplit split = additions(1, 300);
  for (std::size_t head = 0; head < 6; ++head) {
    const HeadStatistics alone = statistics_at(checkpoint, split, head, 1);
    const HeadStatistics together = statistics_at(checkpoint, split, head, 3);
    CHECK(alone.entropy.sum == together.entropy.sum);
    CHECK(alone.entropy.count == together.entropy.count);
    CHECK(alone.entropy.count == (head < 2 ? 900 : head < 4 ? 300 : 600));
  }
}

TEST_CASE("padding counts neither as query nor as key") {
  const Checkpoint checkpoint = position_model();
  Seq2SeqSplit padded;
  padded.vocabulary = addition_vocabulary();
  padded.input_length = 5;
  padded.target_length = 3;
  padded.inputs = {4, kPlus, 8, kPad, kPad, 1, 5, kPlus, 2, 7};
  padded.targets = {1, 2, kPad, 0, 4, 2};
  const HeadStatistics encoder = statistics_at(checkpoint, padded, 0);
  check_mean(encoder.diagonal, (3 * (1.0 / 3) + 5 * 0.2) / 8, 8);
  check_mean(encoder.entropy, 1, 8);
  check_mean(encoder.column, (2 * (1.0 / 3) + 4 * 0.2) / 6, 6);
  const HeadStatistics cross = statistics_at(checkpoint, padded, 2);
  check_mean(cross.operator_, (2 * (1.0 / 3) + 3 * 0.2) / 5, 5);
}

TEST_CASE("a pruned model's statistics are named after the heads it still has") {
  const Checkpoint checkpoint =
      without_heads(random_checkpoint(tiny_config(1)), {{0, 0}, {1, 0}, {1, 1}});
  ThreadTeam team(1);
  const auto statistics = attention_statistics(checkpoint.model(), additions(2, kAttended), team);
  const Table table = to_table(statistics, checkpoint.config);
  REQUIRE(table.size() == 3);
  CHECK(table.text(0, "head") == "encoder.0.self.1");
  CHECK(table.text(1, "label") == "Decoder Cross L0 H0");
  CHECK(table.text(1, "diagonal").empty());
  CHECK(table.text(0, "leading").empty());
  CHECK(table.number(1, "leading") > 0);
  CHECK(table.text(2, "index") == "1");
  CHECK(table.number(0, "operator") > 0);
}

}  // namespace
}  // namespace headway::testing
