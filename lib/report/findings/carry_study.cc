#include "lib/report/findings/carry_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.h"

namespace headway {

std::vector<const CarryHead*> CarryStudy::able() const {
  std::vector<const CarryHead*> found;
  for (const CarryHead& head : heads)
    if (head.can_look) found.push_back(&head);
  return found;
}

std::vector<const CarryHead*> CarryStudy::looking() const {
  std::vector<const CarryHead*> found;
  for (const CarryHead& head : heads)
    if (head.looks) found.push_back(&head);
  return found;
}

double CarryStudy::even() const {
  return even_share("carry", "", digits);
}

double CarryStudy::share_of_loss(const std::function<bool(const CarryHead&)>& holds) const {
  double all = 0, here = 0;
  for (const CarryHead& head : heads) {
    const double lost = std::max(0.0, head.drop().drop);
    all += lost;
    if (holds(head)) here += lost;
  }
  return all > 0 ? here / all : std::numeric_limits<double>::quiet_NaN();
}

RankCorrelation CarryStudy::correlation(const std::string& statistic, const std::string& module,
                                        std::size_t way) const {
  std::vector<double> shares, drops;
  for (const CarryHead& head : heads) {
    const double share = head.look.at(statistic);
    if (!std::isfinite(share) || (!module.empty() && head.look.module != module)) continue;
    shares.push_back(share);
    drops.push_back(head.drops[way].drop);
  }
  return correlate_ranks(shares, drops);
}

CarryStudy read_carry_study(const Sources& sources) {
  CarryStudy study{digits_of_data(sources, "data"), read_ablations(sources, "heads"), {}};
  for (const HeadLook& look : read_looks(sources, "statistics")) {
    const double carry = look.at("carry");
    CarryHead head{look, {}, std::isfinite(carry), carry > study.even()};
    for (const HeadAblation& ablation : study.ablations)
      if (const HeadDrop* drop = ablation.find(look.label)) head.drops.push_back(*drop);
    if (head.drops.size() == study.ablations.size()) study.heads.push_back(std::move(head));
  }
  if (study.heads.empty()) {
    throw Error(fmt::format("{} and {} have no head in common", sources.file("statistics").origin,
                            sources.files("heads").front().origin));
  }
  return study;
}

std::size_t count_in(const std::vector<const CarryHead*>& heads, const std::string& module) {
  return static_cast<std::size_t>(
      std::count_if(heads.begin(), heads.end(),
                    [&](const CarryHead* head) { return head->look.module == module; }));
}

std::vector<CarryRelation> relations_of(const CarryStudy& study) {
  std::vector<CarryRelation> relations;
  for (const char* statistic : {"carry", "column"}) {
    for (const char* module : {"", "encoder", "decoder-cross"}) {
      for (std::size_t way = 0; way < study.ablations.size(); ++way) {
        const RankCorrelation correlation = study.correlation(statistic, module, way);
        if (correlation.pairs > 0) relations.push_back({statistic, module, way, correlation});
      }
    }
  }
  return relations;
}

}  // namespace headway
