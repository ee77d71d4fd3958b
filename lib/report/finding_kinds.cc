#include "lib/report/finding_kinds.h"

#include <algorithm>

#include "lib/sweep/findings/sweep.h"

namespace headway {
namespace {

FindingRole needed_role(std::string name, std::string help) {
  return {.name = std::move(name), .help = std::move(help)};
}

FindingRole optional_role(std::string name, std::string help) {
  return {.name = std::move(name), .help = std::move(help), .is_required = false};
}

std::vector<FindingKind> declare_finding_kinds() {
  return {
      {.name = "sweep",
       .help = "which configuration of a sweep is best, how surely, and which axes matter",
       .roles = {needed_role("table", "table of collect-trials"),
                 needed_role("comparison", "comparison of the same trials"),
                 optional_role("decisions", "decisions of successive halving")},
       .tell = tell_sweep},
  };
}

}  // namespace

const FindingRole* FindingKind::find(std::string_view role) const {
  const auto found = std::find_if(roles.begin(), roles.end(),
                                  [&](const FindingRole& known) { return known.name == role; });
  return found == roles.end() ? nullptr : &*found;
}

const std::vector<FindingKind>& finding_kinds() {
  static const std::vector<FindingKind> kKinds = declare_finding_kinds();
  return kKinds;
}

const FindingKind* find_finding_kind(std::string_view name) {
  const std::vector<FindingKind>& kinds = finding_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const FindingKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace headway
