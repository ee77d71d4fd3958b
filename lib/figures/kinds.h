// The kinds of figures. A room that draws some declares them in a function that returns
// FigureKinds: the general ones are here, those of sweeps in lib/sweep/figures, those of a study in
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
  // Exactly one of the two is set: what the figure is drawn from.
  std::function<Figure(const std::vector<NamedTable>&, const FigureOptions&)> from_tables = nullptr;
  std::function<Figure(const std::vector<NamedTensors>&, const FigureOptions&)> from_tensors =
      nullptr;
  std::string arrays = {};  // of from_tensors: what the files hold, for messages
  // The members of FigureOptions that it reads beside title and size, which every kind may read.
  std::vector<std::string> options = {};

  bool takes(std::string_view option) const;
};

using FigureKinds = std::vector<FigureKind>;

// The kind with this name; null if there is none.
const FigureKind* find_kind(const FigureKinds& kinds, std::string_view name);

// A file as it was read.
struct FigureSource {
  std::string name;  // in the figure: the item of a fan-in
  std::string file;  // in messages
  std::string bytes;
};

// Parses the sources and draws the figure. Throws Error that names the figure and the file.
Figure make_figure(const FigureKind& kind, const std::vector<FigureSource>& sources,
                   const FigureOptions& options);

// The kinds that tables of any study can have.
FigureKinds general_figure_kinds();

// How tokens are written.
struct TokenNames {
  std::function<std::string(std::int32_t)> label;    // on an axis: "7", "+", "BOS"
  std::function<std::string(std::int32_t)> spelled;  // in a line: "7"; "" for padding and the like
};
// Attention maps hold token numbers: a study declares this kind with the names of its tokens.
FigureKind attention_kind(TokenNames tokens);

// The functions behind the kinds. Each throws Error where a column or an array is missing or wrong.

// Losses and accuracies against the epoch, of one training or of several. Columns epoch,
// train_loss, val_loss, and any of greedy, accuracy, teacher_forced and token_accuracy (fractions).
// Empty cells are epochs that were not measured.
Figure draw_training_curves(const std::vector<NamedTable>& trainings, const FigureOptions& options);

// The best epoch of each training, and its time. Logs have columns epoch, val_loss, and accuracy or
// else greedy (fractions; empty cells are epochs that were not measured). A table with a column
// seconds is the timing of the log with the same name.
Figure draw_training_summary(const std::vector<NamedTable>& tables, const FigureOptions& options);

// By how many points accuracy drops without each head, as bars. Columns label, class (critical,
// important, redundant), drop and its interval low, high, in points. Several tables (ways of
// switching a head off) are panels with the same heads, in the order of the first.
Figure draw_head_importance(const std::vector<NamedTable>& tables, const FigureOptions& options);

// What each head attends to, as a heat map of heads and statistics. A column label, and one for
// each statistic (0..1): all columns but head, label, module, layer and index. An empty cell is a
// statistic that does not apply to that head.
Figure draw_head_statistics(const std::vector<NamedTable>& tables, const FigureOptions& options);

// Accuracy against the number of heads removed together, by strategy. Columns strategy, removed,
// accuracy and its interval low, high (fractions). Several tables are panels side by side.
Figure draw_pruning_curve(const std::vector<NamedTable>& tables, const FigureOptions& options);

// Where every head of every module looks, for one problem, as a grid of heat maps. Arrays
// encoder.L.self, decoder.L.self, decoder.L.cross: F32 [P, H, T, S]; inputs, decoder_inputs,
// predictions: I32 [P, tokens]. Metadata `problems`: a JSON list of P texts; `heads`, if heads were
// removed: a JSON map from module to the numbers its heads had. One file.
Figure draw_attention(const std::vector<NamedTensors>& files, const FigureOptions& options,
                      const TokenNames& tokens);

}  // namespace headway
