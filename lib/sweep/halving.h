// Successive halving: all configurations get a small amount of a resource (epochs, samples), the
// best get more, and the best of those get the full amount. Each amount is a rung. Computes rungs
// and decides who continues; runs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "lib/base/json.h"

namespace headway {

struct HalvingPlan {
  std::vector<std::int64_t> amounts;  // by rung, ascending; the last is the full amount
  std::vector<std::size_t> places;    // number of configurations in each rung; all in the first
};

// Amounts are max, max / eta, max / eta², … rounded up, down to `min`. With `min` 0, as many rungs
// as leave at least one configuration in each.
HalvingPlan plan_halving(std::size_t configurations, std::int64_t min, std::int64_t max,
                         double eta);

struct Standing {
  std::string configuration;
  std::vector<double> values;  // the objective for each seed; NaN: failed or missing
};

struct Decision {
  std::string configuration;
  double value = std::numeric_limits<double>::quiet_NaN();  // mean over seeds
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

// A list of maps with the members of rung and decision; "value" is text, empty for a failure.
Json to_json(const RungDecisions& rung);

// Ranks by the mean over seeds; ties keep the order of `standings`. Configurations with a failed
// seed come last and never continue, so fewer than `places` may. Returns decisions in the order of
// `standings`.
std::vector<Decision> decide(const std::vector<Standing>& standings, std::size_t places,
                             bool maximise);

}  // namespace headway
