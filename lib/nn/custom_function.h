// Helpers for functions with custom gradients: passing plain data from forward to backward, and
// access to a tensor's numbers. Only for this folder.
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
