// What the trials of a sweep reached: a table with a row each, made from their metrics. Does not
// know where metrics come from, nor what is good.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/json.h"
#include "lib/numerics/table.h"
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
// "stage.name": numbers, and booleans as 0 and 1; those in maps with dots between
// ("evaluate.accuracy.swaps.256"); one that is called like an axis gets " (metric)". First those
// `wanted`, in that order, and only they; or all, where none are. A wanted name that is a map
// ("prune.tolerances") or a stage means all that is in it; one that no trial has is a column of
// empty cells. "prune.together.1 / prune.heads" is the ratio of two metrics; `besides` are such
// ratios that are wanted besides all others.
Table trial_table(const std::vector<TrialResult>& trials, const std::vector<std::string>& wanted,
                  const std::vector<std::string>& besides = {});

// The two metrics of a ratio; of another metric, itself.
std::vector<std::string> parts_of_ratio(const std::string& metric);

// The columns before and after `trial`.
std::vector<std::string> axes_of(const Table& table);
std::vector<std::string> metrics_of(const Table& table);

// The columns that `wanted` means: the one of that name, or all whose names continue it with a dot.
std::vector<std::string> matching_metrics(const std::vector<std::string>& columns,
                                          const std::string& wanted);

// The number (or boolean) that the metric "evaluate.accuracy.swaps.256" has; nothing where none.
std::optional<double> metric_of(const TrialResult& trial, const std::string& metric);

// Stage and metric: "lr@0.1.greedy" is {"lr@0.1", "greedy"} where there is such a stage. The
// longest stage's name that fits, because items of a matrix may have dots in theirs.
std::optional<std::pair<std::string, std::string>> split_metric(
    const std::string& metric, const std::vector<std::string>& stages);

// What to say of a metric whose stage is not among those that have metrics.
std::string unknown_metric(const std::string& metric, const std::vector<std::string>& stages);

}  // namespace headway
