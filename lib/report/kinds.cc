#include "lib/report/kinds.h"

#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/report/attention.h"
#include "lib/report/carry_accuracy.h"
#include "lib/report/head_importance.h"
#include "lib/report/head_statistics.h"
#include "lib/report/pruning_curve.h"
#include "lib/report/training_curves.h"

namespace headway {
namespace {

FigureKind of_tables(std::string name, std::string help,
                     Figure (*draw)(const std::vector<NamedTable>&, const FigureOptions&)) {
  return {std::move(name), std::move(help), draw, nullptr, false};
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
  if (sources.size() != 1) {
    throw Error(fmt::format("it is drawn from one file, not {}", sources.size()));
  }
  if (has_extension(sources[0], ".csv")) {
    throw Error(fmt::format("it is drawn from attention maps (safetensors), and {} is a table",
                            sources[0].file));
  }
  const TensorFile tensors = parse_safetensors(sources[0].bytes, sources[0].file);
  return kind.from_tensors(tensors, options);
}

}  // namespace

const std::vector<FigureKind>& figure_kinds() {
  static const std::vector<FigureKind> kKinds = {
      of_tables("training-curves", "losses and accuracies by epoch; several trainings as lines",
                draw_training_curves),
      {"attention", "where every head looks, for one problem", nullptr, draw_attention, true},
      of_tables("head-importance", "drop of accuracy without each head; several modes as panels",
                draw_head_importance),
      of_tables("head-statistics", "what each head attends to, as a heat map",
                draw_head_statistics),
      of_tables("pruning-curve", "accuracy against the number of heads removed together",
                draw_pruning_curve),
      of_tables("carry-accuracy", "accuracy by carries, carry chain, leading digit and position",
                draw_carry_accuracy),
  };
  return kKinds;
}

const FigureKind* find_figure_kind(std::string_view name) {
  for (const FigureKind& kind : figure_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
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
