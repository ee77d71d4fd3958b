#include "lib/train/optimiser.h"

#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <numeric>

#include "lib/nn/kernels/adamw_kernel.h"

namespace headway {
namespace {

constexpr std::int64_t kGroupSize = 1 << 16;  // parameters; takes some dozens of microseconds

std::vector<std::pair<std::size_t, std::size_t>> make_groups(const Parameters& parameters) {
  std::vector<std::pair<std::size_t, std::size_t>> groups;
  std::size_t first = 0;
  std::int64_t size = 0;
  for (std::size_t i = 0; i < parameters.shapes().size(); ++i) {
    size += parameters.shapes()[i].count();
    if (size < kGroupSize && i + 1 < parameters.shapes().size()) continue;
    groups.emplace_back(first, i + 1);
    first = i + 1;
    size = 0;
  }
  return groups;
}

bool decays(const ParameterShape& shape) {
  return shape.start == ParameterShape::Start::kXavier;
}

}  // namespace

Optimiser::Optimiser(const Parameters& parameters, const TrainingOptions& options)
    : parameters_(parameters),
      options_(options),
      gradient_(at::zeros_like(parameters.flat())),
      mean_(at::zeros_like(parameters.flat())),
      square_(at::zeros_like(parameters.flat())),
      groups_(make_groups(parameters)) {}

double Optimiser::step(std::vector<ParameterMap>& shards, double rate, ThreadTeam& team) {
  const std::vector<ParameterShape>& shapes = parameters_.shapes();
  auto* gradient = gradient_.data_ptr<float>();
  std::vector<double> squares(shapes.size());
  team.run(groups_.size(), [&](std::size_t group) {
    for (std::size_t i = groups_[group].first; i < groups_[group].second; ++i) {
      float* sum = gradient + parameters_.offset(i);
      std::vector<at::Tensor> taken;
      std::vector<const float*> parts;
      for (ParameterMap& leaves : shards) {
        at::Tensor& slot = leaves.at(shapes[i].name).mutable_grad();
        if (!slot.defined()) continue;  // a shard without samples
        taken.push_back(slot.contiguous());
        parts.push_back(taken.back().data_ptr<float>());
        slot.reset();
      }
      if (parts.empty()) {
        std::fill_n(sum, shapes[i].count(), 0.0F);
      } else {
        squares[i] = sum_gradients(shapes[i].count(), parts, sum);
      }
    }
  });
  const double length = std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
  ++steps_;
  AdamWStep step;
  step.rate = static_cast<float>(rate);
  step.beta1 = static_cast<float>(options_.beta1);
  step.beta2 = static_cast<float>(options_.beta2);
  step.correction1 = static_cast<float>(1 - std::pow(options_.beta1, static_cast<double>(steps_)));
  step.correction2 = static_cast<float>(1 - std::pow(options_.beta2, static_cast<double>(steps_)));
  if (options_.clip > 0 && length > options_.clip)
    step.gradient_scale = static_cast<float>(options_.clip / length);
  auto* values = parameters_.flat().data_ptr<float>();
  auto* mean = mean_.data_ptr<float>();
  auto* square = square_.data_ptr<float>();
  team.run(groups_.size(), [&](std::size_t group) {
    for (std::size_t i = groups_[group].first; i < groups_[group].second; ++i) {
      AdamWStep mine = step;
      mine.decay = decays(shapes[i]) ? static_cast<float>(options_.weight_decay) : 0;
      const std::int64_t at = parameters_.offset(i);
      adamw_step(mine, shapes[i].count(), gradient + at, values + at, mean + at, square + at);
    }
  });
  return length;
}

}  // namespace headway
