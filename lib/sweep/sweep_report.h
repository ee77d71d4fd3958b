// The sweep's part of the default report (lib/report/default_report.h).
#pragma once

#include <optional>
#include <string>

#include "lib/sweep/sweep_pipeline.h"
#include "lib/sweep/trial_table.h"

namespace headway {

extern const char* const kSweepTemplate;  // report.md

// The template's name for an output of the trial table; "" if it is not shown; nullopt for other
// stages' outputs.
std::optional<std::string> sweep_input_name(const StageSpec& stage, const Output& output);

// The stage that add_default_figure() adds.
inline constexpr const char* kDefaultFigure = "axes_figure";

enum class DefaultFigure { kNone, kAdded, kAwaitsResults };

// For a sweep without figures of its own: adds one of the metric that leads the comparison of these
// results, as lines against one axis or as a map of two. Adds none for other numbers of axes, for
// successive halving, and before there are results.
DefaultFigure add_default_figure(SweepPipeline& sweep_pipeline,
                                 const std::vector<TrialResult>& results,
                                 const StageRegistry& registry, FileSystem& files);

// Lets the sweep's report do without the figure, if it cannot be drawn.
void make_figure_optional(PipelineSpec& pipeline);

// Whether the report shows a sweep: its input `trials` is the trial table.
bool is_of_sweep(const Provenance& provenance);

}  // namespace headway
