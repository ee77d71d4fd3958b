// The optimiser against AdamW as its paper writes it, in double precision.
#include "lib/train/optimiser.h"

#include <ATen/ops/zeros_like.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "tests/nn/support.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

using at::Tensor;
using Start = ParameterShape::Start;

const std::vector<ParameterShape> kShapes = {{"weight", {9, 7}, Start::kXavier},
                                             {"bias", {9}, Start::kZero},
                                             {"gain", {5}, Start::kOne},
                                             {"table", {6, 4}, Start::kEmbedding}};

struct PlainAdamW {
  TrainingOptions options;
  std::map<std::string, Tensor> values, means, squares;  // double precision
  int steps = 0;

  PlainAdamW(const Parameters& parameters, const TrainingOptions& with) : options(with) {
    for (const auto& [name, view] : parameters.views(false)) {
      values[name] = view.to(at::kDouble);
      means[name] = squares[name] = at::zeros_like(values[name]);
    }
  }

  double step(const std::map<std::string, Tensor>& gradients, double rate) {
    double length = 0;
    for (const auto& [name, gradient] : gradients) length += gradient.square().sum().item<double>();
    length = std::sqrt(length);
    const double scale = options.clip > 0 ? std::min(1.0, options.clip / length) : 1;
    ++steps;
    for (const auto& [name, gradient] : gradients) {
      const Tensor g = gradient * scale;
      means[name] = means[name] * options.beta1 + g * (1 - options.beta1);
      squares[name] = squares[name] * options.beta2 + g * g * (1 - options.beta2);
      const Tensor mean = means[name] / (1 - std::pow(options.beta1, steps));
      const Tensor square = squares[name] / (1 - std::pow(options.beta2, steps));
      const double decay = name == "weight" ? options.weight_decay : 0;
      values[name] = values[name] - (mean / (square.sqrt() + 1e-8) + values[name] * decay) * rate;
    }
    return length;
  }
};

// Gives each shard gradients of its own, or the factors of a layer's gradients: the weight's name
// is followed by that of its bias. Returns the sums.
std::map<std::string, Tensor> set_gradients(std::vector<Replica>& shards,
                                            const Parameters& parameters, std::uint64_t seed,
                                            double size) {
  std::map<std::string, Tensor> sums;
  const auto add = [&](const std::string& name, const Tensor& gradient) {
    Tensor& sum = sums[name];
    sum = sum.defined() ? sum + gradient : gradient;
  };
  const std::vector<ParameterShape>& shapes = parameters.shapes();
  for (std::int64_t rows = 5; Replica & shard : shards) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      if (shapes[i].is_weight()) {
        const Tensor in = draw({rows, shapes[i].shape[1]}, ++seed);
        const Tensor slopes = draw({rows, shapes[i].shape[0]}, ++seed) * size;
        shard.weights.at(shapes[i].name).factors->push_back({in, slopes});
        add(shapes[i].name, slopes.to(at::kDouble).t().matmul(in.to(at::kDouble)));
        add(shapes[++i].name, slopes.to(at::kDouble).sum(0));
        continue;
      }
      Tensor& leaf = shard.parameters.at(shapes[i].name);
      const Tensor gradient = draw(leaf.sizes(), ++seed) * size;
      leaf.mutable_grad() = gradient;
      add(shapes[i].name, gradient.to(at::kDouble));
    }
    ++rows;
  }
  return sums;
}

std::vector<Replica> replicas_of(const PackedWeights& packed, std::size_t count) {
  std::vector<Replica> replicas;
  for (std::size_t i = 0; i < count; ++i) replicas.push_back(packed.replica());
  return replicas;
}

Parameters drawn_parameters() {
  Parameters parameters(kShapes);
  parameters.draw(3);
  return parameters;
}

TEST_CASE("the optimiser's steps match AdamW in double precision") {
  for (const double clip : {0.0, 0.5, 1e6}) {
    for (const std::size_t shard_count : {1, 2, 3}) {
      CAPTURE(clip, shard_count);
      TrainingOptions options;
      options.clip = clip;
      options.weight_decay = 0.3;
      const Parameters parameters = drawn_parameters();
      PackedWeights packed(parameters);
      std::vector<Replica> shards = replicas_of(packed, shard_count);
      PlainAdamW plain(parameters, options);
      Optimiser optimiser(parameters, options, packed);
      ThreadTeam team(2);
      for (int step = 0; step < 6; ++step) {
        const double rate = 0.05 / (step + 1);
        const auto sums = set_gradients(shards, parameters, static_cast<std::uint64_t>(100 * step),
                                        step == 3 ? 0.01 : 1);
        const double length = optimiser.step(shards, rate, team);
        CHECK(std::abs(length - plain.step(sums, rate)) < 1e-4);
      }
      CHECK(optimiser.steps() == 6);
      for (const auto& [name, view] : parameters.views(false)) {
        CAPTURE(name);
        CHECK(largest_difference(view, plain.values[name]) < 2e-6);
      }
    }
  }
}

TEST_CASE("a layer with many outputs, which are computed in parts, gets the steps of AdamW") {
  Parameters parameters({{"weight", {400, 7}, Start::kXavier}, {"bias", {400}, Start::kZero}});
  parameters.draw(3);
  TrainingOptions options;
  options.clip = 0.5;
  PackedWeights packed(parameters);
  std::vector<Replica> shards = replicas_of(packed, 2);
  PlainAdamW plain(parameters, options);
  Optimiser optimiser(parameters, options, packed);
  ThreadTeam team(2);
  for (int step = 0; step < 3; ++step) {
    const auto sums = set_gradients(shards, parameters, static_cast<std::uint64_t>(100 * step), 1);
    CHECK(std::abs(optimiser.step(shards, 0.1, team) - plain.step(sums, 0.1)) < 1e-3);
  }
  for (const auto& [name, view] : parameters.views(false))
    CHECK(largest_difference(view, plain.values[name]) < 2e-6);
}

TEST_CASE("no step is made with a gradient that is not finite") {
  const Parameters parameters = drawn_parameters();
  const std::string before = bytes_of(parameters);
  PackedWeights packed(parameters);
  std::vector<Replica> shards = replicas_of(packed, 1);
  set_gradients(shards, parameters, 1, 1);
  shards[0].parameters.at("gain").mutable_grad()[0] = INFINITY;
  Optimiser optimiser(parameters, {}, packed);
  ThreadTeam team(1);
  CHECK(std::isinf(optimiser.step(shards, 0.1, team)));
  CHECK(optimiser.steps() == 0);
  CHECK(bytes_of(parameters) == before);
}

TEST_CASE("the optimiser takes the gradients out of their leaves") {
  const Parameters parameters = drawn_parameters();
  PackedWeights packed(parameters);
  std::vector<Replica> shards = replicas_of(packed, 1);
  set_gradients(shards, parameters, 1, 1);
  Optimiser optimiser(parameters, {}, packed);
  ThreadTeam team(1);
  optimiser.step(shards, 0.1, team);
  for (const auto& [name, leaf] : shards[0].parameters) CHECK_FALSE(leaf.grad().defined());
  for (const auto& [name, weight] : shards[0].weights) CHECK(weight.factors->empty());
}

TEST_CASE("a shard without samples does not affect a step") {
  const auto stepped = [](std::size_t empty_shards) {
    const Parameters parameters = drawn_parameters();
    PackedWeights packed(parameters);
    std::vector<Replica> shards = replicas_of(packed, 1);
    set_gradients(shards, parameters, 1, 1);
    for (std::size_t i = 0; i < empty_shards; ++i) shards.push_back(packed.replica());
    Optimiser optimiser(parameters, {}, packed);
    ThreadTeam team(1);
    optimiser.step(shards, 0.1, team);
    return bytes_of(parameters);
  };
  CHECK(stepped(2) == stepped(0));
}

TEST_CASE("a step with many parameters does not depend on the team's size") {
  const auto stepped = [](std::size_t team_size) {
    Parameters parameters({{"a", {300, 300}, Start::kXavier},
                           {"b", {300}, Start::kZero},
                           {"c", {400, 300}, Start::kXavier},
                           {"c.bias", {400}, Start::kZero},
                           {"d", {200, 350}, Start::kEmbedding}});
    parameters.draw(1);
    PackedWeights packed(parameters);
    std::vector<Replica> shards = replicas_of(packed, 2);
    Optimiser optimiser(parameters, {}, packed);
    ThreadTeam team(team_size);
    for (std::uint64_t step = 0; step < 2; ++step) {
      set_gradients(shards, parameters, 10 * step, 1);
      optimiser.step(shards, 0.1, team);
    }
    return bytes_of(parameters);
  };
  const std::string alone = stepped(1);
  CHECK(stepped(2) == alone);
  CHECK(stepped(3) == alone);
}

}  // namespace
}  // namespace headway::testing
