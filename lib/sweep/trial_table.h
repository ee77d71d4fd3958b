// A table of the trials of a sweep, one row each, made from their metrics.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/json.h"
#include "lib/numerics/table.h"
#include "lib/stage/stage_type.h"
#include "lib/sweep/trials.h"

namespace headway {

inline constexpr const char* kTrialDone = "done";
inline constexpr const char* kTrialFailed = "failed";

struct TrialResult {
  std::string name;
  std::vector<Assignment> overrides;
  std::map<std::string, Json> metrics;  // stage ("evaluate", "ablate@zero") -> its metrics.json
  std::string status;                   // "done", "failed", …
};

// Columns: the axes (the path of every override, in order of appearance), `trial`, then metrics as
// "stage.name": numbers, and booleans as 0 and 1. Maps are flattened with dots
// ("evaluate.accuracy.swaps.256"). A metric with the name of an axis gets " (metric)". Only the
// `wanted` metrics are shown, in that order; all if it is empty. A map ("prune.tolerances") or a
// stage stands for everything in it; a metric that no trial has gives empty cells.
// "prune.together.1 / prune.components" is a ratio of two metrics; `besides` are ratios to add.
Table trial_table(const std::vector<TrialResult>& trials, const std::vector<std::string>& wanted,
                  const std::vector<std::string>& besides = {});

// The columns before and after `trial`.
std::vector<std::string> axes_of(const Table& table);
std::vector<std::string> metrics_of(const Table& table);

// The columns that `wanted` selects: the one of that name, or all that extend it by a dot.
std::vector<std::string> matching_metrics(const std::vector<std::string>& columns,
                                          const std::string& wanted);

// The number or boolean at "evaluate.accuracy.swaps.256"; nullopt if there is none.
std::optional<double> metric_of(const TrialResult& trial, const std::string& metric);

// Splits a metric: "lr@0.1.greedy" is {"lr@0.1", "greedy"} if such a stage exists. Takes the
// longest matching stage name, because matrix items may contain dots.
std::optional<std::pair<std::string, std::string>> split_metric(
    const std::string& metric, const std::vector<std::string>& stages);

// A stage that writes metrics.
struct MeasuredStage {
  std::string name;
  const StageType* type;
};

// What is wrong with a column that someone asks for; "" if nothing is. The column, or each part of
// a ratio, must be a metric of one of these stages, which its type declares or leaves open. If
// `may_be_group`, it may be the name of a stage, or of a map of metrics ("prune.together").
std::string metric_mistake(const std::string& column, const std::vector<MeasuredStage>& stages,
                           bool may_be_group);

}  // namespace headway
