// Reads files that describe a positional encoding, for figures.
#pragma once

#include <cstddef>
#include <string>

#include "lib/figures/checks.h"

namespace headway {

// Metadata `encoding`, or else the file's name, which may be empty.
std::string encoding_of(const NamedTensors& file);

// Metadata `trained`: the number of trained positions; 0 if missing. Throws Error if it is not an
// integer.
std::size_t trained_positions(const NamedTensors& file);

// Whether there is an array `positions`; encodings that change attention have none.
bool has_positions(const NamedTensors& file);

// Where untrained positions begin, for a line; 0 (no line) if all or none are trained.
std::size_t last_trained_line(std::size_t trained, std::size_t positions);

// The array `positions` [positions, dimensions], transposed.
FloatMatrix dimensions_by_position(const NamedTensors& file);

inline constexpr const char* kDimensionsByPosition =
    "a row for each dimension, a column for each position";

}  // namespace headway
