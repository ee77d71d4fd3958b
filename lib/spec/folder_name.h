// Names of folders that say which values the parameters have: "model.n_heads=4,seed=1". They
// contain '=', which names of stages, variants and sections of a file cannot.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/base/value.h"

namespace headway {

// Behind the name of a stage's folder: its results are no longer current. No other folder's name
// may end so.
inline constexpr const char* kStaleSuffix = ".stale";

struct Assignment {
  std::string path;
  Value value;
  std::size_t place = 0;  // index in a list of values, from 1; 0: not from a list
};

// Characters other than English letters, digits and . _ - + become '_'. A list or map over 40
// characters is shown as its place ("#2") or digest. Names over 150 bytes are cut and end in '~'
// and a digest. "defaults" without assignments.
std::string folder_name(const std::vector<Assignment>& assignments);
// The same, always with a digest, for assignments whose plain names would be equal.
std::string longer_folder_name(const std::vector<Assignment>& assignments);
// With a digest unless the plain name says everything: different assignments have different names.
std::string exact_folder_name(const std::vector<Assignment>& assignments);

// The value of an assignment as in these names.
std::string value_in_name(const Assignment& assignment);

// A variation's name without what was set: "wide" of "wide@steps=50".
std::string without_assignments(const std::string& name);

}  // namespace headway
