// What a sweep tries: lists of overrides made from axes, by grid or by chance. A function of the
// axes and a seed; knows nothing of pipelines, and runs nothing.
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
  std::size_t place = 0;  // of the value in its axis's list, from 1; 0: it is of no list
};

struct Trial {
  std::string name;
  std::vector<Assignment> overrides;  // in the order of the axes
};

// "model.n_heads=4,seed=1". A folder's name: what is not a letter of English, a digit or one of
// . _ - + becomes '_'. A list or map over 40 characters is shown as its place ("#2"), or by its
// digest where it has none. At most 150 bytes: a longer name is cut and ends in '~' and a digest of
// the whole. "defaults" where nothing is overridden.
std::string trial_name(const std::vector<Assignment>& overrides);
// The same with a digest in any case, for trials whose plain names would be equal.
std::string longer_trial_name(const std::vector<Assignment>& overrides);

// The number of trials of the grid; the largest number there is where it would be more. 0 where an
// axis has no values (a range without points).
std::size_t grid_size(const std::vector<Axis>& axes);

// Every combination; the last axis turns fastest. All are made, so look at grid_size first. Trials
// whose names would be the same get a digest.
std::vector<Trial> grid_trials(const std::vector<Axis>& axes);

// `count` configurations. Draw i of an axis is a function of the seed, the axis's path and i: more
// trials keep the earlier ones, and another axis changes no draw of the others. Ranges are drawn
// uniformly (in the logarithm, where they are so), lists and ranges with points by choice. What was
// drawn before is drawn anew; fewer remain where there are no more.
//
// Replicate axes are not drawn: each configuration is tried with each of their values.
std::vector<Trial> random_trials(const std::vector<Axis>& axes, std::size_t count,
                                 std::uint64_t seed);

}  // namespace headway
