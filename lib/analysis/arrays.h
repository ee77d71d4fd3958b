// Tensors as arrays of safetensors files.
#pragma once

#include <ATen/core/Tensor.h>

#include "lib/numerics/safetensors.h"

namespace headway {

// A copy; T is the tensor's element type.
template <class T>
Array array_of(const at::Tensor& tensor) {
  const at::Tensor whole = tensor.contiguous();
  return Array::of(whole.sizes().vec(),
                   std::span(whole.data_ptr<T>(), static_cast<std::size_t>(whole.numel())));
}

}  // namespace headway
