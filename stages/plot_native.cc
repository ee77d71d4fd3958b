#include <cstdio>

#include "lib/base/error.h"
#include "lib/data/vocabulary.h"
#include "lib/report/gnuplot.h"
#include "lib/report/kinds.h"
#include "stages/plot.h"

namespace headway {
namespace {

bool is_marker(Token token) {
  return token == kPad || token == kBos || token == kEos;
}

TokenNames token_names() {
  TokenNames names;
  names.label = [](Token token) { return token == kBos ? "BOS" : token_text(token); };
  names.spelled = [](Token token) { return is_marker(token) ? "" : token_text(token); };
  return names;
}

std::vector<FigureSource> read_sources(const StageContext& context) {
  context.input("table");  // an Error where nothing is connected
  const InputPaths& input = *context.find_input("table");
  RealFileSystem files;
  std::vector<FigureSource> sources;
  for (std::size_t i = 0; i < input.paths.size(); ++i) {
    auto bytes = files.read(input.paths[i]);
    if (!bytes) throw Error("no such file: " + input.paths[i].string());
    const std::string name = i < input.items.size() ? input.items[i] : "";
    // The file's own name is that of an object in the store, which says nothing to people.
    const std::string shown = (name.empty() ? "table" : name) + input.paths[i].extension().string();
    sources.push_back({name, shown, std::move(*bytes)});
  }
  return sources;
}

}  // namespace

void run_plot(StageContext& context) {
  const PlotParams params = plot_schema().read(context.params());
  const FigureKind* kind = find_figure_kind(params.kind);
  if (!kind) throw Error("there is no kind of figure '" + params.kind + "'");
  FigureOptions options;
  options.title = params.title;
  options.size = {static_cast<int>(params.width), static_cast<int>(params.height)};
  options.problem = params.problem;
  options.tokens = token_names();
  const Figure figure = make_figure(*kind, read_sources(context), options);
  context.throw_if_cancelled();
  const Drawing drawing = draw_with_gnuplot(figure);
  if (!drawing.warnings.empty()) std::printf("%s\n", drawing.warnings.c_str());
  RealFileSystem files;
  files.write(context.output("svg"), drawing.svg, Durability::kCached);
  files.write(context.output("png"), drawing.png, Durability::kCached);
  files.write(context.output("script"), figure.script, Durability::kCached);
  files.write(context.output("data"), figure.data, Durability::kCached);
}

}  // namespace headway
