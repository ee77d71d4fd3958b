#include "lib/analysis/circuits.h"

#include <ATen/ATen.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

using at::Tensor;

TransformerConfig decoder(std::int64_t layers = 1) {
  TransformerConfig config = tiny_config(ModelKind::kDecoder, layers);
  config.n_heads = 4;
  return config;
}

// Head `head` of the first layer passes on `factor` times its share of what it attends to.
void pass_on(const Checkpoint& checkpoint, std::int64_t head, double factor) {
  const ParameterMap parameters = checkpoint.parameters.views(false);
  const std::int64_t d = checkpoint.config.d_model, size = checkpoint.config.head_size();
  const Tensor share = at::eye(d).narrow(0, head * size, size);  // [D, d]
  parameters.at("decoder.0.self.qkv.weight").narrow(0, 2 * d + head * size, size).copy_(share);
  parameters.at("decoder.0.self.out.weight")
      .narrow(1, head * size, size)
      .copy_(share.t().mul(factor));
}

TEST_CASE("a head that passes tokens on copies them, and one that negates them does the opposite") {
  const Checkpoint checkpoint = random_checkpoint(decoder());
  const ParameterMap parameters = checkpoint.parameters.views(false);
  parameters.at("read_out.weight").copy_(parameters.at("embedding"));  // each token to itself
  pass_on(checkpoint, 0, 1);
  pass_on(checkpoint, 1, -1);
  pass_on(checkpoint, 2, 0.01);
  pass_on(checkpoint, 3, 0);
  const std::vector<double> scores = copying_scores(checkpoint);
  REQUIRE(scores.size() == 4);
  CHECK(std::abs(scores[0] - 1) < 1e-6);
  CHECK(std::abs(scores[1] + 1) < 1e-6);
  CHECK(std::abs(scores[2] - 1) < 1e-6);  // however little
  CHECK(std::isnan(scores[3]));
}

// From the whole matrix of what attending to each word adds to each word's logit.
double slow_score(const Checkpoint& checkpoint, const Site& site, std::int64_t place) {
  const TransformerConfig& config = checkpoint.config;
  const ParameterMap parameters = checkpoint.parameters.views(false);
  const std::int64_t size = config.head_size(), words = 11;
  const auto heads = static_cast<std::int64_t>(config.units_of(site.index).size());
  const Tensor qkv = parameters.at(site.name() + ".qkv.weight").to(at::kDouble);
  const Tensor value = qkv.slice(0, (2 * heads + place) * size, (2 * heads + place + 1) * size);
  const Tensor out = parameters.at(site.name() + ".out.weight")
                         .to(at::kDouble)
                         .slice(1, place * size, (place + 1) * size);
  const Tensor embedding = parameters.at("embedding").to(at::kDouble).slice(0, 0, words);
  const Tensor read_out = parameters.at("read_out.weight").to(at::kDouble).slice(0, 0, words);
  const Tensor path = at::matmul(at::matmul(read_out, at::matmul(out, value)), embedding.t());
  const Tensor values = at::linalg_eigvals(path);  // [11], complex
  return at::real(values).sum().item<double>() / values.abs().sum().item<double>();
}

void check_scores(const Checkpoint& checkpoint) {
  const std::vector<double> scores = copying_scores(checkpoint);
  const std::vector<Unit> heads = checkpoint.config.heads();
  REQUIRE(scores.size() == heads.size());
  const std::vector<Site> sites = checkpoint.config.sites();
  for (std::size_t i = 0; i < heads.size(); ++i) {
    CAPTURE(checkpoint.config.name(heads[i]));
    const std::vector<int> there = checkpoint.config.units_of(heads[i].site);
    const auto place = std::ranges::find(there, heads[i].head) - there.begin();
    CHECK(std::abs(scores[i] - slow_score(checkpoint, sites[heads[i].site], place)) < 1e-9);
    CHECK(std::abs(scores[i]) < 1 + 1e-12);
  }
}

TEST_CASE("copying scores are those of the whole matrix from words to words") {
  for (const std::uint64_t seed : {1, 2, 3}) check_scores(random_checkpoint(decoder(2), seed));
  TransformerConfig without_feed = decoder(2);
  without_feed.ffn = FeedKind::kNone;
  check_scores(random_checkpoint(without_feed));
}

TEST_CASE("copying scores of a pruned model are those of the heads that are left") {
  const Checkpoint whole = random_checkpoint(decoder(2));
  const Checkpoint pruned = without_units(whole, {{0, 0}, {0, 2}, {1, kWholeFeed}, {2, 3}});
  check_scores(pruned);
  const std::vector<double> all = copying_scores(whole), left = copying_scores(pruned);
  CHECK(std::abs(left[0] - all[1]) < 1e-9);
  CHECK(std::abs(left[1] - all[3]) < 1e-9);
  CHECK(std::abs(left[4] - all[6]) < 1e-9);
  const Checkpoint first_gone = without_units(whole, {{0, 0}, {0, 1}, {0, 2}, {0, 3}});
  check_scores(first_gone);
  CHECK(copying_scores(first_gone).size() == 4);
}

TEST_CASE("only decoders without an encoder have copying scores") {
  CHECK(copying_scores(random_checkpoint(tiny_config(ModelKind::kEncoder))).empty());
  CHECK(copying_scores(random_checkpoint(tiny_config(ModelKind::kEncoderDecoder))).empty());
}

}  // namespace
}  // namespace headway::testing
