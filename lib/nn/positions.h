// Positional encodings.
#pragma once

#include <ATen/core/Tensor.h>

namespace headway {

// [length, width]: sin and cos of pos / 10000^(2i / width), alternating.
at::Tensor sinusoidal_positions(std::int64_t length, std::int64_t width);

}  // namespace headway
