// Successive halving: all configurations get a little of a resource (epochs, samples), the best of
// them more, and the best of those the full amount. A level with one amount is a rung. Computes the
// rungs and decides who goes on; runs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace headway {

struct HalvingPlan {
  std::vector<std::int64_t> amounts;  // of the resource, by rung, rising; the last is the full one
  std::vector<std::size_t> places;    // configurations that may enter each rung; the first: all
};

// Amounts are max, max / eta, max / eta², … rounded up and not below `min`. With `min` 0 there are
// as many rungs as the configurations can use: each has at least one of them.
HalvingPlan plan_halving(std::size_t configurations, std::int64_t min, std::int64_t max,
                         double eta);

struct Standing {
  std::string configuration;
  std::vector<double> values;  // of the objective, one for each seed; NaN: failed or missing
};

struct Decision {
  std::string configuration;
  double value = std::numeric_limits<double>::quiet_NaN();  // the mean over seeds
  std::size_t rank = 0;                                     // from 1
  bool goes_on = false;
  std::string reason;  // "rank 2 of 9 with 0.93, the best 3 go on"
};

struct RungDecisions {
  std::size_t rung = 0;  // from 1
  std::size_t rungs = 0;
  std::int64_t amount = 0;
  std::vector<Decision> decisions;
};

// Ranks by the mean over seeds; of equals the first in the list comes first. A configuration with a
// failed seed comes last and never goes on, so fewer than `places` may. Decisions are in the order
// of the standings.
std::vector<Decision> decide(const std::vector<Standing>& standings, std::size_t places,
                             bool maximise);

}  // namespace headway
