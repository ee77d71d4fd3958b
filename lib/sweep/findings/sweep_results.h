// What the tables of a sweep's trials hold, as plain data. They do not say what the objective was;
// that is read from them: the first metric, if any row is marked as the best.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/numerics/statistics.h"
#include "lib/numerics/table.h"
#include "lib/report/sources.h"

namespace headway {

// Trials that differ in nothing but their seeds.
struct SweepConfiguration {
  std::vector<std::string> values;    // of the axes
  std::vector<MeanInterval> metrics;  // over seeds
  std::vector<double> reached;        // the first metric, of each trial that has it
  std::size_t seeds = 0;
  bool best = false;

  // Of the first metric, for comparisons of means. One value, which says nothing of the spread,
  // where the metric does not depend on seeds: equal values of them are one measurement.
  std::vector<double> independent_values() const;
};

// Whether a configuration got more of the resource, in successive halving.
struct SweepDecision {
  std::size_t rung = 0;
  std::string amount;  // of the resource
  std::string configuration;
  double value = 0;
  std::size_t rank = 0;
  bool goes_on = false;
};

struct SweepResults {
  std::vector<std::string> axes;  // that differ between configurations
  std::vector<std::string> metrics;
  std::vector<SweepConfiguration> configurations;  // the best first
  std::vector<std::string> seed_axes;              // that only repeat the experiment
  std::size_t seeds = 0;                           // different values of those together
  std::size_t trials = 0;
  std::vector<std::string> missing;  // trials without the first metric, or without any
  std::vector<SweepDecision> decisions;
  std::optional<std::size_t> resource;  // of successive halving: the axis that is given out
  bool has_objective = false;           // the first metric
  std::optional<bool> maximise;         // where it can be told
  std::string comparison_origin;        // the artifact that has all metrics
};

// Sources `table`, `comparison` and, if there, `decisions`: outputs of collect-trials.
SweepResults read_sweep(const Sources& sources);

// "`encoding` = learned, `pooling` = multi"; without the axis `left_out`.
std::string configuration_text(const SweepResults& results, const SweepConfiguration& configuration,
                               std::optional<std::size_t> left_out = std::nullopt);

// The numbers of an axis whose values are all numbers; nothing where one is not.
std::optional<std::vector<double>> axis_numbers(const SweepResults& results, std::size_t axis);

}  // namespace headway
