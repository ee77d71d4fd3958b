#include "lib/report/finding_kinds.h"

#include <algorithm>

#include "lib/addition/findings/ablation.h"
#include "lib/addition/findings/addition_summary.h"
#include "lib/addition/findings/carries.h"
#include "lib/addition/findings/carry_discussion.h"
#include "lib/addition/findings/head_statistics.h"
#include "lib/addition/findings/learning.h"
#include "lib/addition/findings/pruning.h"

namespace headway {
namespace {

FindingRole needed_role(std::string name, std::string help) {
  return {.name = std::move(name), .help = std::move(help)};
}

FindingRole optional_role(std::string name, std::string help) {
  return {.name = std::move(name), .help = std::move(help), .is_required = false};
}

FindingRole as_list(FindingRole role) {
  role.takes_many = true;
  return role;
}

std::vector<FindingKind> declare_finding_kinds() {
  const FindingRole log = needed_role("log", "log of train-seq2seq");
  const FindingRole heads =
      as_list(needed_role("heads", "table of ablate-heads, one for each mode"));
  const FindingRole statistics = needed_role("statistics", "table of attention-maps");
  const FindingRole accuracy = needed_role("accuracy", "table of evaluate-seq2seq");
  const FindingRole failures = optional_role("failures", "failures of the same evaluation");
  const FindingRole tolerances = needed_role("tolerances", "tolerances of prune-heads");
  const FindingRole curves = optional_role("curves", "table of prune-heads");
  const FindingRole pruned = optional_role("pruned", "metrics of prune-heads");
  const FindingRole data = optional_role("data", "metrics of the dataset");
  const FindingRole test = optional_role("test", "metrics of evaluate-seq2seq, on test problems");
  const FindingRole all = optional_role("all", "the same on every problem there is");

  return {
      {.name = "addition-summary",
       .help = "the findings about addition, one sentence each",
       .roles = {log, all, accuracy, failures, heads, statistics, needed_role("data", data.help),
                 tolerances, curves, pruned},
       .tell = tell_addition_summary},
      {.name = "learning",
       .help = "how a model learned to add",
       .roles = {log, optional_role("training", "metrics of train-seq2seq"),
                 optional_role("timing", "timing of train-seq2seq")},
       .tell = tell_learning},
      {.name = "exact-match",
       .help = "how often answers are right: greedy and teacher-forced",
       .roles = {test, all, data},
       .tell = tell_exact_match},
      {.name = "carry-accuracy",
       .help = "which additions are hard, and what is said instead of the sum",
       .roles = {accuracy, failures},
       .tell = tell_carry_accuracy},
      {.name = "ablation",
       .help = "what each head's removal costs, and where the heads are that matter",
       .roles = {heads},
       .tell = tell_ablation},
      {.name = "head-statistics",
       .help = "what the heads look at",
       .roles = {statistics, data},
       .tell = tell_head_statistics},
      {.name = "pruning",
       .help = "how many heads can go, one at a time and together",
       .roles = {tolerances, curves, pruned, optional_role("timing", "timing of prune-heads"),
                 data},
       .tell = tell_pruning},
      {.name = "carry-discussion",
       .help = "how heads carry the carry: attention joined with what each head's removal costs",
       .roles = {heads, statistics, needed_role("data", data.help)},
       .tell = tell_carry_discussion},
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
