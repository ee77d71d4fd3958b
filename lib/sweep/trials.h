// The trials of a sweep: lists of overrides made from axes, as a grid or at random. Depends only on
// the axes and a seed; knows nothing of pipelines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/value.h"
#include "lib/spec/overrides.h"
#include "lib/sweep/axis.h"

namespace headway {

struct Assignment {
  std::string path;
  Value value;
  std::size_t place = 0;  // index in the axis's list, from 1; 0: not from a list
};

struct Trial {
  std::string name;
  std::vector<Assignment> overrides;  // in the order of the axes
};

// "model.n_heads=4,seed=1". Usable as a folder name: characters other than English letters, digits
// and . _ - + become '_'. A list or map over 40 characters is shown as its place ("#2") or digest.
// Names over 150 bytes are cut and end in '~' and a digest. "defaults" without overrides.
std::string trial_name(const std::vector<Assignment>& overrides);
// The same, always with a digest, for trials whose plain names would be equal.
std::string longer_trial_name(const std::vector<Assignment>& overrides);

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
// Replicate axes are not drawn: each configuration is tried with all their values.
std::vector<Trial> random_trials(const std::vector<Axis>& axes, std::size_t count,
                                 std::uint64_t seed);

}  // namespace headway
