#include "lib/data/legend.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {
namespace {

// In tables, these stand where the name of a group, or of a relation, would.
constexpr std::string_view kTakenByGroups[] = {"all",          "class",   "contradictory",
                                               "input_length", "overlap", "position",
                                               "repeated",     "role",    "target_length"};
constexpr std::string_view kTakenByHeads[] = {"copying", "diagonal", "entropy", "head",
                                              "index",   "item",     "label",   "layer",
                                              "module",  "previous", "sparsity"};

template <class Taken>
void check_name(const std::string& name, const char* kind, const Taken& taken) {
  if (name.empty()) throw Error("a {} has no name", kind);
  if (std::ranges::find(taken, name) != std::end(taken))
    throw Error("a {} cannot be called '{}', which tables have for something else", kind, name);
}

}  // namespace

std::int32_t Legend::role(std::string_view name) const {
  const auto found = std::ranges::find(roles, name);
  return found == roles.end() ? -1 : static_cast<std::int32_t>(found - roles.begin());
}

std::int32_t Legend::group(std::string_view name) const {
  const auto found = std::ranges::find(groups, name, &SampleGroup::name);
  return found == groups.end() ? -1 : static_cast<std::int32_t>(found - groups.begin());
}

void check_names(const Legend& legend) {
  for (const SampleGroup& group : legend.groups) check_name(group.name, "group", kTakenByGroups);
  for (const Relation& relation : legend.relations)
    check_name(relation.name, "relation", kTakenByHeads);
  if (legend.role("*") >= 0) throw Error("a role cannot be called '*', which stands for any role");
}

}  // namespace headway
