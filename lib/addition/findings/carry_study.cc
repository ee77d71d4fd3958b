#include "lib/addition/findings/carry_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.h"
#include "lib/report/reading.h"

namespace headway {
namespace {

std::vector<const CarryHead*> carry_heads_where(const CarryStudy& study, bool CarryHead::*holds) {
  std::vector<const CarryHead*> found;
  for (const CarryHead& head : study.heads)
    if (head.*holds) found.push_back(&head);
  return found;
}

std::vector<HeadAblation> ablations_mean_first(const Sources& sources) {
  std::vector<HeadAblation> ablations = read_ablations(sources, "heads");
  std::stable_partition(ablations.begin(), ablations.end(),
                        [](const HeadAblation& ablation) { return ablation.way == "mean"; });
  return ablations;
}

}  // namespace

bool CarryHead::is(const std::string& head_class, std::size_t way) const {
  return drops[way].head_class == head_class;
}

bool CarryHead::is_by_every_way(const std::string& head_class) const {
  return std::all_of(drops.begin(), drops.end(),
                     [&](const HeadDrop& drop) { return drop.head_class == head_class; });
}

std::vector<const CarryHead*> CarryStudy::able() const {
  return carry_heads_where(*this, &CarryHead::can_look);
}

std::vector<const CarryHead*> CarryStudy::looking() const {
  return carry_heads_where(*this, &CarryHead::looks);
}

std::vector<const CarryHead*> CarryStudy::leading() const {
  return carry_heads_where(*this, &CarryHead::leads);
}

const CarryHead* CarryStudy::carry_head() const {
  const CarryHead* most = nullptr;
  for (const CarryHead& head : heads) {
    if (!(head.look.at("carry") > 0.5)) continue;
    if (!most || head.drop().drop > most->drop().drop) most = &head;
  }
  return most;
}

double CarryStudy::even() const {
  return even_share("carry", "", digits);
}

double CarryStudy::share_of_loss(const std::function<bool(const CarryHead&)>& holds,
                                 std::size_t way) const {
  double all = 0, here = 0;
  for (const CarryHead& head : heads) {
    const double lost = std::max(0.0, head.drops[way].drop);
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
    shares.push_back(share / even_share(statistic, head.look.module, digits));
    drops.push_back(head.drops[way].drop);
  }
  return correlate_ranks(shares, drops);
}

CarryStudy read_carry_study(const Sources& sources) {
  CarryStudy study{digits_of_data(sources, "data"),
                   ablations_mean_first(sources),
                   {},
                   sources.table("statistics").has("leading")};
  for (const HeadLook& look : read_carry_looks(sources, "statistics")) {
    const double carry = look.at("carry");
    CarryHead head{
        look, {}, std::isfinite(carry), carry > study.even(), look.at("leading") > study.even()};
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

std::vector<HeadLook> read_carry_looks(const Sources& sources, std::string_view name) {
  std::vector<HeadLook> looks = read_looks(sources, name);
  const Table table = sources.table(name);
  if (!table.has("leading")) return looks;
  for (std::size_t row = 0; row < looks.size(); ++row) {
    const double share = optional_number(table, row, "leading", sources.file(name).origin);
    if (std::isfinite(share)) looks[row].shares["leading"] = share;
  }
  return looks;
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
