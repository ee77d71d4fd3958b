#include "lib/nn/weights.h"

#include <ATen/ops/empty.h>

#include "lib/nn/kernels/matrix_product.h"

namespace headway {
namespace {

using at::Tensor;

// Of a weight [out, in].
void pack_forward(const Tensor& weight, const Tensor& panels) {
  pack_transposed_panels(weight.size(1), weight.size(0), weight.data_ptr<float>(),
                         panels.data_ptr<float>());
}
void pack_backward(const Tensor& weight, const Tensor& panels) {
  pack_panels(weight.size(0), weight.size(1), weight.data_ptr<float>(), panels.data_ptr<float>());
}

Tensor empty_forward(const Tensor& weight) {
  return at::empty({panels_size(weight.size(1), weight.size(0))}, at::kFloat);
}
Tensor empty_backward(const Tensor& weight) {
  return at::empty({panels_size(weight.size(0), weight.size(1))}, at::kFloat);
}

}  // namespace

Tensor Weight::forward_panels() const {
  if (forward.defined()) return forward;
  Tensor panels = empty_forward(values);
  pack_forward(values.contiguous(), panels);
  return panels;
}

Tensor Weight::backward_panels() const {
  if (backward.defined()) return backward;
  Tensor panels = empty_backward(values);
  pack_backward(values.contiguous(), panels);
  return panels;
}

Weight Replica::weight(const std::string& name) const {
  const auto packed = weights.find(name);
  if (packed != weights.end()) return packed->second;
  Weight weight = parameters.at(name);
  if (!weight.values.requires_grad()) weight.forward = weight.forward_panels();
  return weight;
}

PackedWeights::PackedWeights(const Parameters& parameters) : parameters_(parameters) {
  const ParameterMap views = parameters_.views(false);
  for (const ParameterShape& shape : parameters_.shapes()) {
    Weight& weight = weights_.emplace_back();
    if (!shape.is_weight()) continue;
    weight.values = views.at(shape.name);
    weight.forward = empty_forward(weight.values);
    weight.backward = empty_backward(weight.values);
  }
  refresh_all();
}

void PackedWeights::refresh(std::size_t index) {
  const Weight& weight = weights_[index];
  if (!weight.values.defined()) return;
  pack_forward(weight.values, weight.forward);
  pack_backward(weight.values, weight.backward);
}

void PackedWeights::refresh_all() {
  for (std::size_t i = 0; i < weights_.size(); ++i) refresh(i);
}

Replica PackedWeights::replica() const {
  Replica replica(parameters_.views(true));
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (!weights_[i].values.defined()) continue;
    const std::string& name = parameters_.shapes()[i].name;
    Weight weight = weights_[i];
    weight.values = replica.at(name);
    weight.factors = std::make_shared<std::vector<WeightFactors>>();
    replica.weights.emplace(name, std::move(weight));
  }
  return replica;
}

}  // namespace headway
