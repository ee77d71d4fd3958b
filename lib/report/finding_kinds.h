// The kinds of findings: sentences computed from artifacts. One line each in finding_kinds.cc; to
// add one, write its function and add its line. A template asks for them by name:
//
//     {{ findings head-redundancy heads=ablation pruning=tolerances }}
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/report/sources.h"

namespace headway {

struct FindingRole {
  std::string name;  // "heads"
  std::string help;  // what is expected: "a table of ablate-heads"
  bool is_required = true;
  bool takes_many = false;  // a list of artifacts may be given
};

struct FindingKind {
  std::string name;
  std::string help;  // what it tells
  std::vector<FindingRole> roles;
  // Markdown: a list of sentences, or paragraphs and tables. The sources are called by the roles;
  // those that are not required may be missing.
  std::function<std::string(const Sources&)> tell;

  const FindingRole* find(std::string_view role) const;
};

const std::vector<FindingKind>& finding_kinds();
const FindingKind* find_finding_kind(std::string_view name);  // null where there is none

}  // namespace headway
