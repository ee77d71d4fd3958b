#include "lib/figures/kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"

namespace headway {
namespace {

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

bool FigureKind::takes(std::string_view option) const {
  return std::find(options.begin(), options.end(), option) != options.end();
}

const FigureKind* find_kind(const FigureKinds& kinds, std::string_view name) {
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const FigureKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

FigureKinds general_figure_kinds() {
  return {{.name = "training-curves",
           .help = "losses and accuracies by epoch; several trainings as lines",
           .from_tables = draw_training_curves},
          {.name = "training-summary",
           .help = "best accuracy of each training, its loss and, from timing tables, its time",
           .from_tables = draw_training_summary},
          {.name = "head-importance",
           .help = "drop of accuracy without each head; several modes as panels",
           .from_tables = draw_head_importance},
          {.name = "head-statistics",
           .help = "what each head attends to, as a heat map",
           .from_tables = draw_head_statistics},
          {.name = "pruning-curve",
           .help = "accuracy against the number of heads removed together",
           .from_tables = draw_pruning_curve}};
}

FigureKind attention_kind(TokenNames tokens) {
  return {.name = "attention",
          .help = "where every head looks, for one problem",
          .from_tensors =
              [tokens = std::move(tokens)](const std::vector<NamedTensors>& files,
                                           const FigureOptions& options) {
                return draw_attention(files, options, tokens);
              },
          .arrays = "attention maps",
          .options = {"problem"}};
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
