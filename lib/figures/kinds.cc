#include "lib/figures/kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"

namespace headway {

bool FigureKind::takes(std::string_view option) const {
  return std::ranges::find(options, option) != options.end();
}

const FigureKind* find_kind(const FigureKinds& kinds, std::string_view name) {
  const auto found = std::ranges::find(kinds, name, &FigureKind::name);
  return found == kinds.end() ? nullptr : &*found;
}

FigureKinds general_figure_kinds() {
  FigureKinds kinds = chart_kinds();
  kinds.push_back({.name = "training-curves",
                   .help = "losses and accuracies by epoch; several trainings as lines",
                   .from_tables = draw_training_curves,
                   .needs = "columns epoch, train_loss, val_loss, and one or more of greedy, "
                            "accuracy, token_accuracy"});
  kinds.push_back(
      {.name = "training-summary",
       .help = "best accuracy of each training, its loss and, from timing tables, its time",
       .from_tables = draw_training_summary,
       .needs = "columns epoch, val_loss, and accuracy or greedy; of timing tables: seconds"});
  kinds.push_back({.name = "group-accuracy",
                   .help = "accuracy by groups of samples, a panel for each",
                   .from_tables = draw_group_accuracy,
                   .needs = "columns group, value, count, low, high, and greedy, accuracy or "
                            "token_accuracy",
                   .options = {"groups"}});
  kinds.push_back({.name = "head-importance",
                   .help = "drop of accuracy without each head or other component; several modes "
                           "as panels",
                   .from_tables = draw_head_importance,
                   .needs = "columns label, class, drop, low, high"});
  kinds.push_back({.name = "head-statistics",
                   .help = "what each head attends to, as a heat map",
                   .from_tables = draw_head_statistics,
                   .needs = "columns label, and one for each statistic"});
  kinds.push_back({.name = "role-attention",
                   .help = "how much each head attends from one role of positions to another",
                   .from_tables = draw_role_attention,
                   .needs = "columns label, query, key, weight"});
  kinds.push_back({.name = "attention",
                   .help = "where every head looks, for one problem",
                   .from_tensors = draw_attention,
                   .arrays = "attention maps",
                   .needs = "arrays encoder.L.self, decoder.L.self, decoder.L.cross (of any layers "
                            "L) with their tokens, inputs, decoder_inputs; metadata problems",
                   .options = {"problem"}});
  kinds.push_back({.name = "pruning-curve",
                   .help = "accuracy against the number of heads, or other components, removed "
                           "together",
                   .from_tables = draw_pruning_curve,
                   .needs = "columns strategy, removed, accuracy, low, high"});
  return kinds;
}

Figure make_figure(const FigureKind& kind, const std::vector<FigureSource>& sources,
                   const FigureOptions& options) {
  try {
    if (kind.check_options) kind.check_options(options);
    std::vector<NamedTable> tables;
    std::vector<NamedTensors> files;
    for (const auto& [name, file, bytes] : sources) {
      const Path extension = Path(file).extension();
      if (kind.from_tables && extension == ".safetensors")
        throw Error("it is drawn from tables (CSV), and {} is none", file);
      if (kind.from_tensors && extension == ".csv")
        throw Error("it is drawn from {} (safetensors), and {} is a table", kind.arrays, file);
      if (kind.from_tables) tables.push_back({name, parse_csv(bytes, file)});
      if (kind.from_tensors) files.push_back({name, parse_safetensors(bytes, file)});
    }
    return kind.from_tables ? kind.from_tables(tables, options) : kind.from_tensors(files, options);
  } catch (const Error& error) {
    throw error.within(fmt::format("figure '{}'", kind.name));
  }
}

}  // namespace headway
