#include "lib/sweep/halving.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lib/numerics/table.h"

namespace headway {
namespace {

constexpr double kRounding = 1e-9;  // 135 / 1.08 is 125, up to rounding

std::size_t places_after(std::size_t places, double eta) {
  return static_cast<std::size_t>(std::floor(static_cast<double>(places) / eta + kRounding));
}

std::string failure_of(const Standing& standing) {
  const auto seeds = standing.values.size();
  const auto missing = static_cast<std::size_t>(
      std::ranges::count_if(standing.values, [](double value) { return std::isnan(value); }));
  if (missing == seeds) return "failed: no result";
  if (missing == 0) return "failed: its mean is not a number";
  return fmt::format("failed: {} of {} seeds {} no result", missing, seeds,
                     missing == 1 ? "has" : "have");
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string reason_for(const Decision& decision, std::size_t all, std::size_t going,
                       double worst_going) {
  const std::string standing =
      fmt::format("rank {} of {} with {:.4g}", decision.rank, all, decision.value);
  if (going == 0) return standing + "; there is no place left";
  if (decision.goes_on && going == all) return standing + (all == 1 ? ", goes on" : ", all go on");
  if (decision.goes_on && going == 1) return standing + ", only the best goes on";
  if (decision.goes_on) return fmt::format("{}, the best {} go on", standing, going);
  if (decision.value == worst_going)
    return standing + "; as good as the last that goes on, which comes first in the list";
  return fmt::format("{}; the worst that goes on has {:.4g}", standing, worst_going);
}

}  // namespace

HalvingPlan plan_halving(std::size_t configurations, std::int64_t min, std::int64_t max,
                         double eta) {
  HalvingPlan plan{{max}, {}};
  std::size_t left = configurations;
  for (int rung = 1; eta > 1; ++rung) {
    const double share = static_cast<double>(max) / std::pow(eta, rung);
    const auto amount = static_cast<std::int64_t>(std::ceil(share * (1 - kRounding)));
    left = places_after(left, eta);
    const bool useful = min > 0 ? amount >= min : left >= 1;
    if (!useful || amount < 1 || amount >= plan.amounts.back()) break;
    plan.amounts.push_back(amount);
  }
  std::ranges::reverse(plan.amounts);
  plan.places.push_back(configurations);
  while (plan.places.size() < plan.amounts.size())
    plan.places.push_back(std::max<std::size_t>(1, places_after(plan.places.back(), eta)));
  return plan;
}

Json to_json(const RungDecisions& rung) {
  Json list = Json::array();
  for (const Decision& decision : rung.decisions)
    list.push_back({{"rung", rung.rung},
                    {"amount", rung.amount},
                    {"configuration", decision.configuration},
                    {"value", std::isfinite(decision.value) ? number_text(decision.value) : ""},
                    {"rank", decision.rank},
                    {"goes_on", decision.goes_on},
                    {"reason", decision.reason}});
  return list;
}

std::vector<Decision> decide(const std::vector<Standing>& standings, std::size_t places,
                             bool maximise) {
  std::vector<Decision> decisions;
  decisions.reserve(standings.size());
  for (const Standing& standing : standings)
    decisions.push_back({standing.configuration, mean_of(standing.values), 0, false, ""});
  std::vector<std::size_t> order(standings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const double first = decisions[a].value, second = decisions[b].value;
    if (std::isnan(first) || std::isnan(second)) return !std::isnan(first) && std::isnan(second);
    return maximise ? first > second : first < second;
  });
  const auto ranked = static_cast<std::size_t>(std::ranges::count_if(
      decisions, [](const Decision& decision) { return !std::isnan(decision.value); }));
  const std::size_t going = std::min(places, ranked);
  const double worst_going = going > 0 ? decisions[order[going - 1]].value : 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    Decision& decision = decisions[order[i]];
    decision.rank = i + 1;
    decision.goes_on = i < going;
    decision.reason = std::isnan(decision.value)
                          ? failure_of(standings[order[i]])
                          : reason_for(decision, order.size(), going, worst_going);
  }
  return decisions;
}

}  // namespace headway
