#include "lib/figures/kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/addition/figures/carry_accuracy.h"
#include "lib/base/error.h"
#include "lib/extrapolation/figures/encoding_comparison.h"
#include "lib/extrapolation/figures/extrapolation.h"
#include "lib/extrapolation/figures/position_heatmap.h"
#include "lib/figures/attention.h"
#include "lib/figures/head_importance.h"
#include "lib/figures/head_statistics.h"
#include "lib/figures/pruning_curve.h"
#include "lib/figures/training_curves.h"
#include "lib/figures/training_summary.h"
#include "lib/sweep/figures/parallel_coordinates.h"
#include "lib/sweep/figures/sweep_heatmap.h"
#include "lib/sweep/figures/sweep_lines.h"

namespace headway {
namespace {

FigureKind of_tables(std::string name, std::string help,
                     Figure (*draw)(const std::vector<NamedTable>&, const FigureOptions&)) {
  return {std::move(name), std::move(help), draw, nullptr, "", {}};
}

FigureKind of_tensors(std::string name, std::string help, std::string arrays,
                      Figure (*draw)(const std::vector<NamedTensors>&, const FigureOptions&)) {
  return {std::move(name), std::move(help), nullptr, draw, std::move(arrays), {}};
}

FigureKind taking(std::vector<std::string> options, FigureKind kind) {
  kind.options = std::move(options);
  return kind;
}

bool has_extension(const FigureSource& source, std::string_view extension) {
  return Path(source.file).extension() == extension;
}

Figure make_from_tables(const FigureKind& kind, const std::vector<FigureSource>& sources,
                        const FigureOptions& options) {
  std::vector<NamedTable> tables;
  for (const FigureSource& source : sources) {
    if (has_extension(source, ".safetensors")) {
      throw Error(fmt::format("it is drawn from tables (CSV), and {} is none", source.file));
    }
    tables.push_back({source.name, parse_csv(source.bytes, source.file)});
  }
  return kind.from_tables(tables, options);
}

Figure make_from_tensors(const FigureKind& kind, const std::vector<FigureSource>& sources,
                         const FigureOptions& options) {
  std::vector<NamedTensors> files;
  for (const FigureSource& source : sources) {
    if (has_extension(source, ".csv")) {
      throw Error(fmt::format("it is drawn from {} (safetensors), and {} is a table", kind.arrays,
                              source.file));
    }
    files.push_back({source.name, parse_safetensors(source.bytes, source.file)});
  }
  return kind.from_tensors(files, options);
}

}  // namespace

const std::vector<FigureKind>& figure_kinds() {
  static const std::vector<FigureKind> kKinds = {
      of_tables("training-curves", "losses and accuracies by epoch; several trainings as lines",
                draw_training_curves),
      taking({"problem"}, of_tensors("attention", "where every head looks, for one problem",
                                     "attention maps", draw_attention)),
      of_tables("head-importance", "drop of accuracy without each head; several modes as panels",
                draw_head_importance),
      of_tables("head-statistics", "what each head attends to, as a heat map",
                draw_head_statistics),
      of_tables("pruning-curve", "accuracy against the number of heads removed together",
                draw_pruning_curve),
      of_tables("carry-accuracy", "accuracy by carries, carry chain, leading digit and position",
                draw_carry_accuracy),
      of_tables("training-summary",
                "best accuracy of each training, its loss and, from timing tables, its time",
                draw_training_summary),
      of_tables("extrapolation",
                "accuracy against the length of sequences; several models as lines",
                draw_extrapolation),
      of_tensors("position-heatmap", "the position vectors of one encoding", "position vectors",
                 draw_position_heatmap),
      of_tensors("encoding-comparison",
                 "position vectors of encodings, and what they make of pairs of positions",
                 "positional encodings", draw_encoding_comparison),
      taking({"x", "metric", "goal"},
             of_tables("sweep-lines", "a metric of a sweep's trials against one axis",
                       draw_sweep_lines)),
      taking(
          {"x", "rows", "metric", "goal"},
          of_tables("sweep-heatmap", "a metric of a sweep's trials by two axes; others as panels",
                    draw_sweep_heatmap)),
      taking({"metric", "goal"},
             of_tables("parallel-coordinates",
                       "every configuration of a sweep as a line over all axes to its metric",
                       draw_parallel_coordinates)),
  };
  return kKinds;
}

const FigureKind* find_figure_kind(std::string_view name) {
  for (const FigureKind& kind : figure_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

bool FigureKind::takes(std::string_view option) const {
  return std::find(options.begin(), options.end(), option) != options.end();
}

std::vector<std::string> kinds_taking(std::string_view option) {
  std::vector<std::string> names;
  for (const FigureKind& kind : figure_kinds()) {
    if (kind.takes(option)) names.push_back(kind.name);
  }
  return names;
}

Figure make_figure(const FigureKind& kind, const std::vector<FigureSource>& sources,
                   const FigureOptions& options) {
  try {
    return kind.from_tensors ? make_from_tensors(kind, sources, options)
                             : make_from_tables(kind, sources, options);
  } catch (const Error& error) {
    throw error.within(fmt::format("figure '{}'", kind.name));
  }
}

}  // namespace headway
