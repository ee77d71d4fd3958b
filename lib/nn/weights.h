// The weights of linear layers as matrix products read them, and what their gradients are made of.
//
// A weight is packed when it changes and then used by all shards. In training, the backward pass
// does not compute a weight's gradient: it leaves the two matrices whose product it is, and one
// product over the rows of all shards follows (`Optimiser`). So no shard has a gradient of its own
// that would have to be added.
#pragma once

#include <memory>
#include <vector>

#include "lib/nn/parameters.h"

namespace headway {

struct WeightFactors {
  at::Tensor in;      // [N, in]
  at::Tensor slopes;  // [N, out]
};

struct Weight {
  at::Tensor values;    // [out, in]
  at::Tensor forward;   // panels of the transpose [in, out]; undefined: packed at each use
  at::Tensor backward;  // panels of [out, in]; the same
  // Where the backward pass leaves the factors of the gradient, and of the bias's; null: it
  // computes both.
  std::shared_ptr<std::vector<WeightFactors>> factors;

  Weight() = default;
  // Without panels.
  Weight(at::Tensor tensor) : values(std::move(tensor)) {}  // NOLINT(*-explicit-constructor)

  at::Tensor forward_panels() const;
  at::Tensor backward_panels() const;
};

// The parameters of one model, or of a shard's replica of it.
struct Replica {
  ParameterMap parameters;
  std::map<std::string, Weight, std::less<>> weights;  // those that are packed

  Replica(ParameterMap map) : parameters(std::move(map)) {}  // NOLINT(*-explicit-constructor)

  const at::Tensor& at(const std::string& name) const { return parameters.at(name); }
  bool contains(const std::string& name) const { return parameters.contains(name); }
  // Packs a weight that is not packed and needs no gradient.
  Weight weight(const std::string& name) const;
};

// The panels of all weights among parameters that change.
class PackedWeights {
 public:
  explicit PackedWeights(const Parameters& parameters);

  // After the parameter of this number changed. Different ones can be refreshed at once.
  void refresh(std::size_t index);
  void refresh_all();
  // New leaves of a graph that use these panels, and leave the factors of gradients.
  Replica replica() const;

 private:
  Parameters parameters_;
  std::vector<Weight> weights_;  // of each parameter; without values if it is no weight
};

}  // namespace headway
