// A file that describes a positional encoding, as the figures of encodings read it.
#pragma once

#include <cstddef>
#include <string>

#include "lib/figures/checks.h"

namespace headway {

// Metadata `encoding`; where there is none, what the file is called, which may be nothing.
std::string encoding_of(const NamedTensors& file);

// Metadata `trained`: how many positions were trained, the first ones. 0 where it is not told. An
// Error where it is no whole number.
std::size_t trained_positions(const NamedTensors& file);

// Whether there is an array `positions`: encodings that change attention itself have none.
bool has_positions(const NamedTensors& file);

// Where a line parts trained from untrained positions; 0, for none, where all or none are trained.
std::size_t last_trained_line(std::size_t trained, std::size_t positions);

// The array `positions`, [positions, dimensions], with a row for each dimension.
FloatMatrix dimensions_by_position(const NamedTensors& file);

// What the rows and columns of that are, for who reads the data.
inline constexpr const char* kDimensionsByPosition =
    "a row for each dimension, a column for each position";

}  // namespace headway
