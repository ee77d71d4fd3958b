// A model's parameters: named tensors in one flat buffer, so that the optimiser, a saved state and
// data-parallel replicas each see one stretch of memory. The names are the checkpoint's format.
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
    kXavier,     // uniform, by the sizes of a weight [out, in]
    kEmbedding,  // normal, deviation 1 / sqrt(width)
    kNormal,     // normal, of the given deviation
  };
  std::string name;
  std::vector<std::int64_t> shape;
  Start start = Start::kXavier;
  std::int64_t stacked = 1;  // how many weights of their own stand in it, one below the other
  double deviation = 1;      // of kNormal

  std::int64_t count() const;
};

using ParameterMap = std::map<std::string, at::Tensor, std::less<>>;

class Parameters {
 public:
  explicit Parameters(std::vector<ParameterShape> shapes);  // all zero

  const std::vector<ParameterShape>& shapes() const { return shapes_; }
  std::int64_t count() const;                       // of numbers, all parameters together
  const at::Tensor& flat() const { return flat_; }  // a little longer: each starts a cache line
  std::int64_t offset(std::size_t index) const { return offsets_[index]; }

  // Tensors over this memory, by name. With gradients: leaves of an autograd graph, each call's
  // own.
  ParameterMap views(bool with_gradients) const;

  // Every number from the stream of the seed and the parameter's name: nothing else matters.
  void draw(std::uint64_t seed);
  Parameters copy() const;

  void add_to(TensorFile& file) const;
  // An Error names what is missing or has another shape.
  void read_from(const TensorFile& file);

 private:
  std::vector<ParameterShape> shapes_;
  std::vector<std::int64_t> offsets_;
  at::Tensor flat_;  // [flat]
};

}  // namespace headway
