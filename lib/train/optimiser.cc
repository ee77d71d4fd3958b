#include "lib/train/optimiser.h"

#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <numeric>

#include "lib/nn/kernels/adamw_kernel.h"
#include "lib/nn/kernels/matrix_product.h"
#include "lib/numerics/part_clock.h"

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

// The outputs of a layer in one task: enough to pack its inputs for.
constexpr std::int64_t kOutputs = 280;

// The bias of the layer whose weight has this number. Layers declare both, one after the other.
std::size_t bias_of(std::size_t weight) {
  return weight + 1;
}

}  // namespace

Optimiser::Optimiser(const Parameters& parameters, const TrainingOptions& options,
                     PackedWeights& packed)
    : parameters_(parameters),
      options_(options),
      packed_(packed),
      gradient_(at::zeros_like(parameters.flat())),
      mean_(at::zeros_like(parameters.flat())),
      square_(at::zeros_like(parameters.flat())),
      groups_(make_groups(parameters)) {
  plan_gradients();
}

// Layers first, because their tasks are the largest.
void Optimiser::plan_gradients() {
  const std::vector<ParameterShape>& shapes = parameters_.shapes();
  std::vector<GradientTask> others;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i].is_weight()) {
      others.push_back({.first = i, .last = i + 1});
      continue;
    }
    const std::int64_t outputs = shapes[i].shape[0];
    for (std::int64_t first = 0; first < outputs; first += kOutputs)
      gradient_tasks_.push_back({i, bias_of(i), true, first, std::min(outputs, first + kOutputs)});
    ++i;  // its bias
  }
  for (const GradientTask& task : others) {
    const bool joins = !gradient_tasks_.empty() && !gradient_tasks_.back().is_layer &&
                       gradient_tasks_.back().last == task.first;
    if (joins) {
      gradient_tasks_.back().last = task.last;
    } else {
      gradient_tasks_.push_back(task);
    }
  }
}

double Optimiser::sum_parameters(const GradientTask& task, std::vector<Replica>& shards) {
  const std::vector<ParameterShape>& shapes = parameters_.shapes();
  double squares = 0;
  for (std::size_t i = task.first; i < task.last; ++i) {
    float* sum = gradient_.data_ptr<float>() + parameters_.offset(i);
    std::vector<at::Tensor> taken;
    std::vector<const float*> parts;
    for (Replica& shard : shards) {
      at::Tensor& slot = shard.parameters.at(shapes[i].name).mutable_grad();
      if (!slot.defined()) continue;  // a shard without samples
      taken.push_back(slot.contiguous());
      parts.push_back(taken.back().data_ptr<float>());
      slot.reset();
    }
    if (parts.empty()) {
      std::fill_n(sum, shapes[i].count(), 0.0F);
    } else {
      squares += sum_gradients(shapes[i].count(), parts, sum);
    }
  }
  return squares;
}

double Optimiser::compute_layer(const GradientTask& task, const std::vector<Replica>& shards) {
  const ParameterShape& shape = parameters_.shapes()[task.first];
  std::vector<LinearFactors> parts;
  std::int64_t rows = 0;
  for (const Replica& shard : shards) {
    for (const WeightFactors& factors : *shard.weights.at(shape.name).factors) {
      parts.push_back(
          {factors.in.size(0), factors.in.data_ptr<float>(), factors.slopes.data_ptr<float>()});
      rows += parts.back().rows;
    }
  }
  auto* gradient = gradient_.data_ptr<float>();
  const LinearGradient layer{shape.shape[1],
                             shape.shape[0],
                             task.first_output,
                             task.last_output,
                             gradient + parameters_.offset(task.first),
                             gradient + parameters_.offset(task.last)};
  const std::int64_t outputs = layer.last - layer.first;
  {
    const TimedPart timed(Part::kProducts, rows * layer.in * outputs);
    multiply_factors(parts, layer);
  }
  return sum_of_squares(outputs * layer.in, layer.weight + layer.first * layer.in) +
         sum_of_squares(outputs, layer.bias + layer.first);
}

void Optimiser::clear_factors(std::vector<Replica>& shards) const {
  for (Replica& shard : shards) {
    for (auto& [name, weight] : shard.weights) weight.factors->clear();
  }
}

double Optimiser::step(std::vector<Replica>& shards, double rate, ThreadTeam& team) {
  const std::vector<ParameterShape>& shapes = parameters_.shapes();
  auto* gradient = gradient_.data_ptr<float>();
  std::vector<double> squares(gradient_tasks_.size());
  team.run(gradient_tasks_.size(), [&](std::size_t number) {
    const GradientTask& task = gradient_tasks_[number];
    squares[number] = task.is_layer ? compute_layer(task, shards) : sum_parameters(task, shards);
  });
  clear_factors(shards);
  const double length = std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
  if (!std::isfinite(length)) return length;
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
    const TimedPart timed(Part::kOptimiser);
    for (std::size_t i = groups_[group].first; i < groups_[group].second; ++i) {
      AdamWStep mine = step;
      mine.decay = shapes[i].is_weight() ? static_cast<float>(options_.weight_decay) : 0;
      const std::int64_t at = parameters_.offset(i);
      adamw_step(mine, shapes[i].count(), gradient + at, values + at, mean + at, square + at);
      packed_.refresh(i);
    }
  });
  return length;
}

}  // namespace headway
