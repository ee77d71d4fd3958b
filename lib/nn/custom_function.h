// What functions with a gradient of their own need besides LibTorch's: plain data on its way from a
// forward to its backward, and the numbers of a tensor. For sources of this folder only.
#pragma once

#include <torch/csrc/autograd/custom_function.h>

#include <utility>

namespace headway {

template <class T>
struct Held : torch::CustomClassHolder {
  explicit Held(T held) : value(std::move(held)) {}
  T value;
};
template <class T>
void hold(torch::autograd::AutogradContext* context, T value) {
  context->saved_data["op"] =
      c10::IValue::make_capsule(c10::make_intrusive<Held<T>>(std::move(value)));
}
template <class T>
T held(torch::autograd::AutogradContext* context) {
  return static_cast<Held<T>&>(*context->saved_data["op"].toCapsule()).value;
}

inline const float* read(const at::Tensor& tensor) {
  return tensor.data_ptr<float>();
}
inline float* write(at::Tensor& tensor) {
  return tensor.data_ptr<float>();
}

}  // namespace headway
