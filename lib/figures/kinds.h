// The kinds of figures. Each library that draws some has a function that returns FigureKinds:
// general kinds are here, those of sweeps in lib/sweep/figures, those of a study in
// lib/<study>/figures.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/figures/figure.h"

namespace headway {

struct FigureKind {
  std::string name;  // "training-curves"
  std::string help;  // what it shows
  // The function that draws the figure; exactly one of the two is set.
  std::function<Figure(const std::vector<NamedTable>&, const FigureOptions&)> from_tables = nullptr;
  std::function<Figure(const std::vector<NamedTensors>&, const FigureOptions&)> from_tensors =
      nullptr;
  std::string arrays = {};  // for from_tensors: describes the files in messages
  std::string needs;        // for the help: "columns epoch, train_loss", or arrays
  // Members of FigureOptions that the kind uses besides title and size.
  std::vector<std::string> options = {};
  // Throws Error if an option is missing or contradicts another, before there are tables; may be
  // null.
  std::function<void(const FigureOptions&)> check_options = nullptr;

  bool takes(std::string_view option) const;
};

using FigureKinds = std::vector<FigureKind>;

// The kind with this name; null if there is none.
const FigureKind* find_kind(const FigureKinds& kinds, std::string_view name);

// The contents of an input file.
struct FigureSource {
  std::string name;  // in the figure: the item of a fan-in
  std::string file;  // for messages
  std::string bytes;
};

// Parses the sources and draws the figure. Throws Error that names the figure and the file.
Figure make_figure(const FigureKind& kind, const std::vector<FigureSource>& sources,
                   const FigureOptions& options);

// The kinds that work with tables of any study.
FigureKinds general_figure_kinds();

// Those that draw any table: lines, points, bars and heatmap.
FigureKinds chart_kinds();

// The functions behind the kinds. Each throws Error if a column or array is missing or wrong.

// Losses and accuracies by epoch, for one or more trainings. Columns epoch, train_loss, val_loss,
// and any of greedy, accuracy and token_accuracy (fractions). Empty cells: not
// measured.
Figure draw_training_curves(const std::vector<NamedTable>& trainings, const FigureOptions& options);

// The best epoch of each training, and its time. Logs have columns epoch, val_loss, and accuracy or
// greedy (fractions; empty: not measured). A table with a column seconds is the timing of the log
// with the same name.
Figure draw_training_summary(const std::vector<NamedTable>& tables, const FigureOptions& options);

// Accuracy by groups of samples, a panel for each. Columns group (also `all`), value, count, and
// greedy or accuracy with its interval low, high (fractions). Expects one table. Option groups:
// which ones, in this order.
Figure draw_group_accuracy(const std::vector<NamedTable>& tables, const FigureOptions& options);

// The drop in accuracy without each component of a model, as bars. Columns label, class (critical,
// important, redundant), drop and its interval low, high, in points; kind (head, ffn) may be
// missing if all are heads. Several tables (ways to switch a component off) become panels with the
// components in the order of the first.
Figure draw_head_importance(const std::vector<NamedTable>& tables, const FigureOptions& options);

// What each head attends to, as a heat map. Columns: label, and one for each statistic (-1..1): all
// but head, label, module, layer and index. Empty cell: the statistic does not apply to the head.
// Where the column module, if there is one, changes, a line separates the heads.
Figure draw_head_statistics(const std::vector<NamedTable>& tables, const FigureOptions& options);

// How much each head attends from positions of one role to those of another, as a grid of heat
// maps. Columns label, query, key, weight. Expects one table.
Figure draw_role_attention(const std::vector<NamedTable>& tables, const FigureOptions& options);

// Accuracy by number of components removed together, for each strategy. Columns strategy, removed,
// accuracy and its interval low, high (fractions); unit, the label of what was removed last, may be
// missing if all are heads. Several tables become panels side by side.
Figure draw_pruning_curve(const std::vector<NamedTable>& tables, const FigureOptions& options);

// The attention of all heads for one problem, as a grid of heat maps. Expects one file, in the
// format of lib/numerics/attention_maps.h.
Figure draw_attention(const std::vector<NamedTensors>& files, const FigureOptions& options);

}  // namespace headway
