// Statistics of controlled attention on additions: spread evenly, or forced onto chosen keys.
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_pinv.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "lib/analysis/attention_statistics.h"
#include "tests/nn/tiny_models.h"
#include "tests/train/half_trained.h"

namespace headway::testing {
namespace {

using at::Tensor;

// Two digits: the input a1 a0 + b1 b0 stands at 0 1 2 3 4, the sum s2 s1 s0 at 0 1 2. Carries: into
// s2 and s1; into s1; none.
const std::vector<AdditionProblem> kAttended = {{95, 17}, {15, 27}, {11, 22}};

// Sites and heads of a model of one layer with one head in each attention.
constexpr std::size_t kSelfSite = 2, kCrossSite = 3;
constexpr std::size_t kEncoderHead = 0, kSelfHead = 1, kCrossHead = 2;

// One layer, one head at each site, that sees positions and no tokens.
Checkpoint position_model(ModelKind kind = ModelKind::kEncoderDecoder) {
  TransformerConfig config = tiny_config(kind);
  config.d_model = 16;
  config.n_heads = 1;
  const Checkpoint checkpoint = random_checkpoint(config);
  for (const auto& [name, parameter] : checkpoint.parameters.views(false)) {
    if (name.ends_with("embedding")) parameter.zero_();
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
  for (std::size_t t = 0; t < wanted.size(); ++t)
    scores[static_cast<std::int64_t>(t)][wanted[t]] = 400;
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

// Before the site, for the first sample: the same for all, as only positions are seen.
Walk walk_to(const Checkpoint& checkpoint, const Split& split, std::size_t site) {
  const Transformer model = model_for(checkpoint, split);
  Walk walk = model.begin(make_batch(checkpoint.config, split, 0, 1));
  DropoutStream none;
  model.walk_to(site, walk, none);
  return walk;
}

struct Found {
  HeadStatistics head;
  const Legend& legend;

  const Mean& operator[](std::string_view relation) const {
    const auto found = std::ranges::find(legend.relations, relation, &Relation::name);
    return head.relations.at(static_cast<std::size_t>(found - legend.relations.begin()));
  }
};

Found statistics_of(const Checkpoint& checkpoint, const Split& split, std::size_t head) {
  ThreadTeam team(1);
  return {attention_statistics(model_for(checkpoint, split), split, team).at(head), *split.legend};
}

void check_mean(const Mean& mean, double value, double count) {
  CHECK(std::abs(mean.value() - value) < 1e-4);
  CHECK(mean.count == count);
}

TEST_CASE("uniform attention has the statistics of uniform weights") {
  const Checkpoint checkpoint = position_model();
  const Split split = additions(2, kAttended);
  const Found encoder = statistics_of(checkpoint, split, kEncoderHead);
  check_mean(encoder.head.diagonal, 0.2, 15);
  check_mean(encoder.head.previous, 0.2, 12);
  check_mean(encoder.head.entropy, 1, 15);
  check_mean(encoder.head.sparsity, 0, 15);
  check_mean(encoder["operator"], 0.2, 15);
  check_mean(encoder["column"], 0.2, 12);        // the four digits of each
  check_mean(encoder["carry"], 0.4, 6);          // a1 and b1 look at a0 and b0
  check_mean(encoder["carry_with"], 0.4, 4);     // 95+17 and 15+27
  check_mean(encoder["carry_without"], 0.4, 2);  // 11+22
  CHECK(encoder["leading"].count == 0);

  const Found self = statistics_of(checkpoint, split, kSelfHead);
  check_mean(self.head.diagonal, (1 + 1.0 / 2 + 1.0 / 3) / 3, 9);
  check_mean(self.head.previous, (1.0 / 2 + 1.0 / 3) / 2, 6);
  check_mean(self.head.entropy, 1, 6);  // the first query has nothing to choose from
  check_mean(self.head.sparsity, 0, 6);
  for (const char* relation : {"operator", "column", "carry", "leading"})
    CHECK(self[relation].count == 0);
  CHECK(std::isnan(self["carry"].value()));

  const Found cross = statistics_of(checkpoint, split, kCrossHead);
  CHECK(cross.head.diagonal.count == 0);
  CHECK(cross.head.previous.count == 0);
  check_mean(cross.head.entropy, 1, 9);
  check_mean(cross.head.sparsity, 0, 9);
  check_mean(cross["operator"], 0.2, 9);
  check_mean(cross["column"], 0.4, 6);  // s1 and s0
  check_mean(cross["carry"], 0.4, 3);   // s1
  check_mean(cross["carry_with"], 0.4, 2);
  check_mean(cross["carry_without"], 0.4, 1);
  check_mean(cross["leading"], 0.4, 3);  // s2
}

// One row, a1 a0 + b1 b0 bos s2 s1, of which each position writes the next token.
TEST_CASE("a decoder alone sees what came before, with the role of the token it writes") {
  const Split split = additions(2, kAttended);
  const Found head = statistics_of(position_model(ModelKind::kDecoder), split, 0);
  double harmonic = 0;
  for (int n = 1; n <= 8; ++n) harmonic += 1.0 / n;
  check_mean(head.head.diagonal, harmonic / 8, 24);
  check_mean(head.head.previous, (harmonic - 1) / 7, 21);
  check_mean(head.head.entropy, 1, 21);
  check_mean(head["operator"], (harmonic - 1 - 1.0 / 2) / 6, 18);  // from the + on
  // What writes b1 sees a1 among 3; b0 a0 among 4; s1 and s0 two of 7 and of 8.
  check_mean(head["column"], (1.0 / 3 + 1.0 / 4 + 2.0 / 7 + 2.0 / 8) / 4, 12);
  // What writes b1 sees a0 among 3; s1 a0 and b0 among 7.
  check_mean(head["carry"], (1.0 / 3 + 2.0 / 7) / 2, 6);
  check_mean(head["carry_with"], (1.0 / 3 + 2.0 / 7) / 2, 4);
  check_mean(head["leading"], 2.0 / 6, 3);  // s2, of a1 and b1
}

TEST_CASE("an encoder head that looks at the other number's digit aligns columns") {
  const Checkpoint checkpoint = position_model();
  const Split split = additions(2, kAttended);
  const Tensor x = walk_to(checkpoint, split, 0).encoded;
  force(checkpoint, "encoder.0.self", x, x, {3, 4, 2, 0, 1});
  const Found found = statistics_of(checkpoint, split, kEncoderHead);
  check_mean(found["column"], 1, 12);
  check_mean(found["carry"], 0, 6);
  check_mean(found["operator"], 0.2, 15);    // the + alone
  check_mean(found.head.diagonal, 0.2, 15);  // the same
  check_mean(found.head.previous, 0, 12);
  check_mean(found.head.entropy, 0, 15);
  check_mean(found.head.sparsity, 1, 15);
}

TEST_CASE("an encoder head that looks at the column to the right looks where carries come from") {
  const Checkpoint checkpoint = position_model();
  const Split split = additions(2, kAttended);
  const Tensor x = walk_to(checkpoint, split, 0).encoded;
  force(checkpoint, "encoder.0.self", x, x, {4, 0, 1, 2, 2});  // of a1 and b1, only a1 looks there
  const Found found = statistics_of(checkpoint, split, kEncoderHead);
  check_mean(found["carry"], 0.5, 6);
  check_mean(found["carry_with"], 0.5, 4);
  check_mean(found["column"], 0, 12);
  check_mean(found["operator"], 0.4, 15);
  check_mean(found.head.previous, 0.75, 12);  // a0 on a1, + on a0, b1 on +
  check_mean(found.head.diagonal, 0, 15);
}

TEST_CASE("a decoder head that looks at the previous token has all its weight there") {
  const Checkpoint checkpoint = position_model();
  const Split split = additions(2, kAttended);
  const Tensor x = walk_to(checkpoint, split, kSelfSite).decoded;
  force(checkpoint, "decoder.0.self", x, x, {0, 0, 1});
  const HeadStatistics head = statistics_of(checkpoint, split, kSelfHead).head;
  check_mean(head.previous, 1, 6);
  check_mean(head.diagonal, 1.0 / 3, 9);  // the first has no other
  check_mean(head.sparsity, 1, 6);
}

TEST_CASE("a cross head's columns and carries are those of the digit being predicted") {
  const Checkpoint checkpoint = position_model();
  const Split split = additions(2, kAttended);
  const Walk walk = walk_to(checkpoint, split, kCrossSite);
  // s2 looks at the +; s1 at b0, where its carry comes from; s0 at a0, its own column.
  force(checkpoint, "decoder.0.cross", walk.decoded, walk.encoded, {2, 4, 1});
  const Found found = statistics_of(checkpoint, split, kCrossHead);
  check_mean(found["column"], 0.5, 6);  // s0 yes, s1 no
  check_mean(found["carry"], 1, 3);
  check_mean(found["carry_with"], 1, 2);     // 95+17 and 15+27
  check_mean(found["carry_without"], 1, 1);  // 11+22
  check_mean(found["leading"], 0, 3);
  check_mean(found["operator"], 1.0 / 3, 9);
  check_mean(found.head.entropy, 0, 9);
}

TEST_CASE("a cross head's weight for the leading digit does not count as weight on a carry") {
  const Checkpoint checkpoint = position_model();
  const Split split = additions(2, kAttended);
  const Walk walk = walk_to(checkpoint, split, kCrossSite);
  // s2 looks at b1, the leftmost column; s1 at a1 and s0 at b0, their own columns.
  force(checkpoint, "decoder.0.cross", walk.decoded, walk.encoded, {3, 0, 4});
  const Found found = statistics_of(checkpoint, split, kCrossHead);
  check_mean(found["leading"], 1, 3);
  check_mean(found["column"], 1, 6);
  check_mean(found["carry"], 0, 3);
  check_mean(found["carry_with"], 0, 2);
  check_mean(found["carry_without"], 0, 1);
}

TEST_CASE("a sum of one-digit numbers has a leading digit but no column to the right") {
  const Checkpoint checkpoint = position_model();
  const Split split = additions(1, 10);
  const Found cross = statistics_of(checkpoint, split, kCrossHead);
  check_mean(cross["leading"], 2.0 / 3, 10);
  check_mean(cross["column"], 2.0 / 3, 10);
  CHECK(cross["carry"].count == 0);
  CHECK(statistics_of(checkpoint, split, kEncoderHead)["carry"].count == 0);
}

TEST_CASE("a cross head's weight from role to role") {
  const Checkpoint checkpoint = position_model();
  const Split split = additions(2, kAttended);
  const Walk walk = walk_to(checkpoint, split, kCrossSite);
  force(checkpoint, "decoder.0.cross", walk.decoded, walk.encoded, {2, 4, 1});
  const Found found = statistics_of(checkpoint, split, kCrossHead);
  const auto weight = [&](const char* query, const char* key) {
    const Legend& legend = *split.legend;
    const auto row = static_cast<std::size_t>(legend.role(query)) * legend.roles.size();
    return found.head.roles.at(row + static_cast<std::size_t>(legend.role(key)));
  };
  check_mean(weight("s2", "+"), 1, 3);
  check_mean(weight("s1", "b0"), 1, 3);
  check_mean(weight("s0", "a0"), 1, 3);
  check_mean(weight("s0", "b0"), 0, 3);
  CHECK(weight("a1", "a0").count == 0);  // no query
  CHECK(weight("s1", "s2").count == 0);  // no key
}

}  // namespace
}  // namespace headway::testing
