#include "lib/nn/parameters.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>

#include "lib/base/error.h"
#include "tests/nn/support.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

using Start = ParameterShape::Start;

const ParameterShape kWeight{"a.weight", {7, 5}, Start::kXavier};
const ParameterShape kBias{"a.bias", {7}, Start::kZero};
const ParameterShape kGain{"gain", {3}, Start::kOne};
const ParameterShape kTable{"table", {100, 64}, Start::kEmbedding};

at::Tensor drawn(const std::vector<ParameterShape>& shapes, const std::string& name,
                 std::uint64_t seed = 1) {
  Parameters parameters(shapes);
  parameters.draw(seed);
  return parameters.views(false).at(name);
}

TEST_CASE("a parameter's initial values depend only on the seed and its name") {
  const at::Tensor alone = drawn({kWeight}, "a.weight");
  CHECK(drawn({kBias, kTable, kWeight, kGain}, "a.weight").equal(alone));
  CHECK(drawn({kWeight, kTable}, "a.weight").equal(alone));
  CHECK_FALSE(drawn({kWeight}, "a.weight", 2).equal(alone));
  ParameterShape renamed = kWeight;
  renamed.name = "b.weight";
  CHECK_FALSE(drawn({renamed}, "b.weight").equal(alone));
}

TEST_CASE("parameters are initialised according to their kind") {
  const std::vector<ParameterShape> shapes = {kWeight, kBias, kGain, kTable};
  CHECK(drawn(shapes, "a.bias").eq(0).all().item<bool>());
  CHECK(drawn(shapes, "gain").eq(1).all().item<bool>());
  const at::Tensor table = drawn(shapes, "table");
  CHECK(std::abs(table.mean().item<double>()) < 0.125 * 4 / 80);          // 4 deviations of it
  CHECK(std::abs(table.std().item<double>() - 0.125) < 0.125 * 4 / 113);  // 1 / sqrt(64)
  CHECK(table.abs().max().item<double>() > 3 * 0.125);                    // no uniform one
}

TEST_CASE("Xavier's limit is that of each weight in a stack") {
  for (const std::int64_t stacked : {1, 3}) {
    const ParameterShape shape{"w", {stacked * 60, 40}, Start::kXavier, stacked};
    const double limit = std::sqrt(6.0 / 100);
    const at::Tensor values = drawn({shape}, "w");
    CHECK(values.abs().max().item<double>() <= limit);
    CHECK(values.max().item<double>() > 0.98 * limit);
    CHECK(values.min().item<double>() < -0.98 * limit);
  }
}

TEST_CASE("parameters share one buffer, each on its own cache lines") {
  Parameters parameters({kWeight, kBias, kGain});
  CHECK(parameters.flat().numel() == 48 + 16 + 16);
  CHECK(parameters.count() == 35 + 7 + 3);
  CHECK(parameters.offset(2) == 64);
  parameters.flat().fill_(5);
  const ParameterMap views = parameters.views(true);
  CHECK(views.at("gain").eq(5).all().item<bool>());
  CHECK(views.at("a.weight").sizes() == at::IntArrayRef({7, 5}));
  CHECK(views.at("a.weight").is_leaf());
  CHECK(views.at("a.weight").requires_grad());
}

TEST_CASE("a copy of parameters has its own memory") {
  Parameters parameters({kBias});
  const Parameters copy = parameters.copy();
  parameters.flat().fill_(5);
  CHECK(copy.flat().eq(0).all().item<bool>());
}

TEST_CASE("parameters without elements take no space and do no harm") {
  Parameters parameters({{"none", {0, 4}}, kBias, {"last", {4, 0}}});
  parameters.draw(1);
  TensorFile file;
  parameters.add_to(file);
  Parameters read({{"none", {0, 4}}, kBias, {"last", {4, 0}}});
  read.read_from(file);
  CHECK(read.views(true).at("last").sizes() == at::IntArrayRef({4, 0}));
}

TEST_CASE("parameters are read as they were written, or the error names the array") {
  const std::vector<ParameterShape> shapes = {kWeight, kGain};
  Parameters parameters(shapes);
  parameters.draw(1);
  TensorFile file;
  parameters.add_to(file);
  Parameters read(shapes);
  read.read_from(file);
  CHECK(bytes_of(read) == bytes_of(parameters));
  Parameters other({kBias});
  CHECK_THROWS_MATCHES(
      other.read_from(file), Error,
      Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring("'a.bias'")));
}

}  // namespace
}  // namespace headway::testing
