// A model's parameters: named tensors in one flat buffer for the optimiser, saved states and
// data-parallel replicas. The names are part of the checkpoint format.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "lib/numerics/random.h"
#include "lib/numerics/safetensors.h"

namespace headway {

struct ParameterShape {
  enum class Start {
    kZero,
    kOne,
    kXavier,     // uniform, scaled by the sizes of a weight [out, in]
    kEmbedding,  // normal, deviation 1 / sqrt(width)
    kNormal,     // normal, with the given deviation
  };
  std::string name;
  std::vector<std::int64_t> shape;
  Start start = Start::kXavier;
  std::int64_t stacked = 1;  // number of independent weights stacked in it
  double deviation = 1;      // for kNormal

  std::int64_t count() const;
  // Whether it is the weight [out, in] of a linear layer.
  bool is_weight() const { return start == Start::kXavier; }
};

using ParameterMap = std::map<std::string, at::Tensor, std::less<>>;

class Parameters {
 public:
  explicit Parameters(std::vector<ParameterShape> shapes);  // all zero

  const std::vector<ParameterShape>& shapes() const { return shapes_; }
  std::int64_t count() const;                       // number of values in all parameters
  const at::Tensor& flat() const { return flat_; }  // includes padding to cache lines
  std::int64_t offset(std::size_t index) const { return offsets_[index]; }

  // Tensors in this memory, by name. With gradients: new leaves of an autograd graph for each call.
  ParameterMap views(bool with_gradients) const;

  // Draws every value from a stream that depends only on the seed and the parameter's name.
  void draw(std::uint64_t seed);
  Parameters copy() const;

  void add_to(TensorFile& file) const;
  // Throws Error that names what is missing or has another shape.
  void read_from(const TensorFile& file);

 private:
  std::vector<ParameterShape> shapes_;
  std::vector<std::int64_t> offsets_;
  at::Tensor flat_;  // [flat]
};

}  // namespace headway
