// What the numbers in a dataset stand for: words, classes, values of groups, roles of positions.
// Data declares it; analysis and reports use it without knowing the task.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/data/vocabulary.h"

namespace headway {

// A property of samples by which results are grouped: "carries", with the values 0, 1, 2, 3.
struct SampleGroup {
  std::string name;
  std::vector<std::string> values;

  bool operator==(const SampleGroup&) const = default;
};

inline constexpr std::int32_t kNoRole = -1;   // of a position
inline constexpr std::int32_t kAnyRole = -1;  // in a relation

// A pair of positions that belong together, by their roles: attention from such a query to such a
// key is measured.
struct RolePair {
  std::int32_t query = kAnyRole;
  std::int32_t key = kAnyRole;
  // Only in samples with this value of a group, both by number.
  struct Condition {
    std::int32_t group = 0;
    std::int32_t value = 0;

    bool operator==(const Condition&) const = default;
  };
  std::optional<Condition> when = {};

  bool operator==(const RolePair&) const = default;
};

// A named set of pairs: "carry" is the weight of each digit on the column to its right.
struct Relation {
  std::string name;
  std::vector<RolePair> pairs;

  bool operator==(const Relation&) const = default;
};

struct Legend {
  Vocabulary vocabulary;
  std::vector<std::string> classes;  // of labels; empty: the samples have no labels
  std::vector<SampleGroup> groups;   // sorted by name
  std::vector<std::string> roles;    // of positions
  std::vector<Relation> relations;   // sorted by name

  std::int32_t role(std::string_view name) const;   // -1: none
  std::int32_t group(std::string_view name) const;  // -1: none

  bool operator==(const Legend&) const = default;
};

// Throws Error if a group or a relation has a name that tables need for themselves ("position"), or
// a role is called "*".
void check_names(const Legend& legend);

}  // namespace headway
