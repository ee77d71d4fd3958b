#include <cstdio>

#include "lib/addition/vocabulary.h"
#include "lib/base/error.h"
#include "lib/figures/gnuplot.h"
#include "stages/figure_sources.h"
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
  options.x = params.x;
  options.rows = params.rows;
  options.metric = params.metric;
  options.goal = params.goal == "min" ? Goal::kMin : Goal::kMax;
  const Figure figure = make_figure(*kind, read_sources(context), options);
  context.throw_if_cancelled();
  const Drawing drawing = draw_with_gnuplot(figure, context.work());
  if (!drawing.warnings.empty()) std::printf("%s\n", drawing.warnings.c_str());
  RealFileSystem files;
  files.write(context.output("svg"), drawing.svg, Durability::kCached);
  files.write(context.output("png"), drawing.png, Durability::kCached);
  files.write(context.output("script"), figure.script, Durability::kCached);
  files.write(context.output("data"), figure.data, Durability::kCached);
}

}  // namespace headway
