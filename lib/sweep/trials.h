// The trials of a sweep: lists of overrides made from axes, as a grid or at random. Depends only on
// the axes and a seed; knows nothing of pipelines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/value.h"
#include "lib/spec/folder_name.h"
#include "lib/sweep/axis.h"

namespace headway {

struct Trial {
  std::string name;
  std::vector<Assignment> overrides;  // in the order of the axes
};

// Whether a random search tries all values of the axis instead of drawing one: replicates do.
bool tries_all(const Axis& axis);

// The number of trials of the grid; the largest size_t if it overflows. 0 if an axis has no values
// (a range without points).
std::size_t grid_size(const std::vector<Axis>& axes);

// Every combination; the last axis varies fastest. Creates all of them, so check grid_size first.
// Trials with equal names get a digest.
std::vector<Trial> grid_trials(const std::vector<Axis>& axes);

// Draws `count` configurations. Draw i of an axis depends only on the seed, the axis's path and i:
// more trials keep the earlier ones, and a new axis does not change the others. Ranges are drawn
// uniformly (log ranges in the logarithm), lists and ranges with points by choice. Repeats are
// drawn again; there may be fewer than `count`.
//
// Axes of which all values are tried are not drawn: each configuration is combined with them.
std::vector<Trial> random_trials(const std::vector<Axis>& axes, std::size_t count,
                                 std::uint64_t seed);

}  // namespace headway
