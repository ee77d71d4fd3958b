#include "lib/sweep/halving.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "lib/sweep/sweep_run.h"

namespace headway {
namespace {

constexpr double kFailed = std::numeric_limits<double>::quiet_NaN();

using Amounts = std::vector<std::int64_t>;
using Places = std::vector<std::size_t>;

std::vector<Standing> standings(const std::vector<double>& values) {
  std::vector<Standing> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.push_back({"c" + std::to_string(i), {values[i]}});
  }
  return result;
}

std::vector<std::size_t> ranks(const std::vector<Decision>& decisions) {
  std::vector<std::size_t> result;
  for (const Decision& decision : decisions) result.push_back(decision.rank);
  return result;
}

std::string going(const std::vector<Decision>& decisions) {
  std::string names;
  for (const Decision& decision : decisions) {
    if (decision.goes_on) names += (names.empty() ? "" : " ") + decision.configuration;
  }
  return names;
}

TEST_CASE("without a minimum amount, there are as many rungs as configurations can use",
          "[halving]") {
  const HalvingPlan plan = plan_halving(9, 0, 27, 3);
  CHECK(plan.amounts == Amounts{3, 9, 27});
  CHECK(plan.places == Places{9, 3, 1});
  CHECK(plan_halving(26, 0, 27, 3).places == Places{26, 8, 2});
  CHECK(plan_halving(27, 0, 27, 3).places == Places{27, 9, 3, 1});
  CHECK(plan_halving(2, 0, 27, 3).amounts == Amounts{27});
  CHECK(plan_halving(1, 0, 27, 3).places == Places{1});
}

TEST_CASE("amounts are not below the minimum", "[halving]") {
  CHECK(plan_halving(100, 3, 20, 3).amounts == Amounts{3, 7, 20});
  CHECK(plan_halving(100, 4, 20, 3).amounts == Amounts{7, 20});
  CHECK(plan_halving(100, 20, 20, 3).amounts == Amounts{20});
  CHECK(plan_halving(100, 21, 20, 3).amounts == Amounts{20});
  const HalvingPlan few = plan_halving(3, 1, 27, 3);
  CHECK(few.amounts == Amounts{1, 3, 9, 27});
  CHECK(few.places == Places{3, 1, 1, 1});
}

TEST_CASE("amounts are strictly increasing, however small they are", "[halving]") {
  CHECK(plan_halving(1000, 0, 3, 2).amounts == Amounts{1, 2, 3});
  CHECK(plan_halving(1000, 1, 1, 2).amounts == Amounts{1});
  for (const double eta : {1.1, 1.5, 2.0, 2.7, 4.0}) {
    const HalvingPlan plan = plan_halving(500, 0, 1000, eta);
    CHECK(plan.amounts.back() == 1000);
    CHECK(plan.amounts.size() == plan.places.size());
    for (std::size_t i = 1; i < plan.amounts.size(); ++i) {
      CHECK(plan.amounts[i - 1] < plan.amounts[i]);
      CHECK(plan.places[i - 1] > plan.places[i]);
    }
    CHECK(plan.places.back() >= 1);
  }
}

TEST_CASE("shares that are integers up to rounding are treated as integers", "[halving]") {
  CHECK(plan_halving(100, 125, 216, 1.2).amounts == Amounts{125, 150, 180, 216});
  CHECK(plan_halving(135, 90, 100, 1.08).places == Places{135, 125});
}

TEST_CASE("the best continue, in either direction", "[halving]") {
  const std::vector<Standing> all = standings({0.1, 0.9, 0.5, 0.7});
  const std::vector<Decision> high = decide(all, 2, true);
  CHECK(ranks(high) == std::vector<std::size_t>{4, 1, 3, 2});
  CHECK(going(high) == "c1 c3");
  const std::vector<Decision> low = decide(all, 1, false);
  CHECK(ranks(low) == std::vector<std::size_t>{1, 4, 2, 3});
  CHECK(going(low) == "c0");
}

TEST_CASE("configurations are ranked by the mean over seeds", "[halving]") {
  const std::vector<Decision> decisions =
      decide({{"lucky", {0.9, 0.1}}, {"steady", {0.6, 0.6}}}, 1, true);
  CHECK(going(decisions) == "steady");
  CHECK(decisions[0].value == 0.5);
}

TEST_CASE("one failed seed keeps a configuration from continuing", "[halving]") {
  const std::vector<Decision> decisions = decide(
      {{"a", {1, 1, kFailed}}, {"b", {0.1, 0.1, 0.1}}, {"c", {kFailed, kFailed, 1}}, {"d", {}}}, 3,
      true);
  CHECK(going(decisions) == "b");
  CHECK(ranks(decisions) == std::vector<std::size_t>{2, 1, 3, 4});
  CHECK(std::isnan(decisions[0].value));
  CHECK(decisions[0].reason == "failed: 1 of 3 seeds has no result");
  CHECK(decisions[2].reason == "failed: 2 of 3 seeds have no result");
  CHECK(decisions[3].reason == "failed: no result");
  CHECK(decisions[1].reason == "rank 1 of 4 with 0.1, only the best goes on");
}

TEST_CASE("ties go to the earlier configuration and are reported", "[halving]") {
  const std::vector<Decision> decisions = decide(standings({0.5, 0.5, 0.5}), 2, false);
  CHECK(going(decisions) == "c0 c1");
  CHECK(decisions[2].reason ==
        "rank 3 of 3 with 0.5; as good as the last that goes on, which comes first in the list");
}

TEST_CASE("decisions have readable reasons", "[halving]") {
  const std::vector<Decision> decisions = decide(standings({0.93, 0.12, 0.95, 0.85, 0.3}), 3, true);
  CHECK(decisions[0].reason == "rank 2 of 5 with 0.93, the best 3 go on");
  CHECK(decisions[1].reason == "rank 5 of 5 with 0.12; the worst that goes on has 0.85");
  CHECK(decide(standings({0.5, 0.6}), 9, true)[0].reason == "rank 2 of 2 with 0.5, all go on");
  CHECK(decide(standings({0.5}), 9, true)[0].reason == "rank 1 of 1 with 0.5, goes on");
  // Beside "goes on", it is not said again.
  CHECK(decisions_text({1, 2, 3, decide(standings({0.5}), 9, true)}, "epochs") ==
        "rung 1 of 2, epochs=3:\n  c0  goes on  rank 1 of 1 with 0.5\n");
  CHECK(decide(standings({0.5}), 0, true)[0].reason ==
        "rank 1 of 1 with 0.5; there is no place left");
}

TEST_CASE("an infinite loss is the worst result, not a failure", "[halving]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Decision> decisions = decide(standings({infinity, 2, kFailed}), 2, false);
  CHECK(ranks(decisions) == std::vector<std::size_t>{2, 1, 3});
  CHECK(going(decisions) == "c0 c1");
  CHECK(decide({{"a", {infinity, -infinity}}}, 1, false)[0].reason ==
        "failed: its mean is not a number");
}

TEST_CASE("deciding between no configurations works", "[halving]") {
  CHECK(decide({}, 3, true).empty());
}

}  // namespace
}  // namespace headway
