#include <fmt/format.h>

#include <cstdio>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/gnuplot.h"
#include "stages/artifacts.h"
#include "stages/params.h"
#include "stages/stages.h"

namespace headway {
namespace {

// Cairo allows 32767 pixels, and the PNG has twice as many as this.
constexpr double kLargest = 16000;

struct PlotParams {
  std::string kind;
  std::string title;
  std::int64_t problem = 0;
  std::string x;
  std::string rows;
  std::string metric;
  std::string goal = "max";
  std::int64_t width = 0;
  std::int64_t height = 0;
};

std::vector<std::string> kinds_taking(const FigureKinds& kinds, std::string_view option) {
  std::vector<std::string> names;
  for (const FigureKind& kind : kinds) {
    if (kind.takes(option)) names.push_back(kind.name);
  }
  return names;
}

// "a, b and c"
std::string listed(const std::vector<std::string>& names) {
  std::string text = names.front();
  for (std::size_t i = 1; i < names.size(); ++i) {
    text += (i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

SchemaOf<PlotParams> plot_schema(const FigureKinds& kinds) {
  std::vector<std::string> names, helps;
  for (const FigureKind& kind : kinds) {
    names.push_back(kind.name);
    helps.push_back(fmt::format("{}: {}", kind.name, kind.help));
  }
  // An option that only some kinds have.
  const auto of_some = [&](const char* option, std::string_view help) {
    const std::vector<std::string> takers = kinds_taking(kinds, option);
    return fmt::format("of kind{} {}: {}", takers.size() == 1 ? "" : "s", listed(takers), help);
  };
  SchemaOf<PlotParams> schema;
  schema.add("kind", &PlotParams::kind, "what to draw; " + join(helps, "; "))
      .required()
      .one_of(names);
  schema.add("title", &PlotParams::title, "instead of the one that is made from the data");
  schema
      .add("problem", &PlotParams::problem,
           of_some("problem", "which of the stored problems, from 0"))
      .at_least(0);
  schema.add("x", &PlotParams::x,
             of_some("x",
                     "the column of the axis that goes to the right; may be left out where there "
                     "is only one"));
  schema.add("rows", &PlotParams::rows,
             of_some("rows", "the column of the axis that goes down; as x"));
  schema.add("metric", &PlotParams::metric, of_some("metric", "the column that is shown; as x"));
  schema
      .add("goal", &PlotParams::goal,
           of_some("goal", "whether the highest or the lowest metric is the best"))
      .one_of({"max", "min"});
  schema
      .add("width", &PlotParams::width,
           "pixels of the SVG, the PNG has twice as many; 0: what the kind needs for the data")
      .at_least(0)
      .at_most(kLargest);
  schema.add("height", &PlotParams::height, "as width").at_least(0).at_most(kLargest);
  return schema;
}

// Whether a parameter is set. The schema refuses wrong types.
bool is_given(const Field& field, const Value& value) {
  const Json json = to_json(value);
  return json.type() == field.default_value.type() && json != field.default_value;
}

// Refuses options that the kind does not have: they would do nothing.
void check(const FigureKinds& kinds, const Schema& schema, const StageDeclaration& stage,
           Diagnostics& diagnostics) {
  const Value* name = stage.params.find("kind");
  const FigureKind* kind = name && name->text() ? find_kind(kinds, *name->text()) : nullptr;
  if (!kind) return;  // refused by the schema
  for (const Field& field : schema.fields()) {
    const std::vector<std::string> takers = kinds_taking(kinds, field.name);
    const Value* value = stage.params.find(field.name);
    if (takers.empty() || kind->takes(field.name) || !value || !is_given(field, *value)) continue;
    diagnostics.add(
        value->location,
        fmt::format("{}: kind '{}' has no '{}'; only {} {} one", stage.subject, kind->name,
                    field.name, listed(takers), takers.size() == 1 ? "has" : "have"));
  }
}

}  // namespace

StageType plot_stage(const FigureKinds& kinds) {
  const auto schema = std::make_shared<SchemaOf<PlotParams>>(plot_schema(kinds));
  return {
      .name = "plot",
      .version = 3,
      .summary = "draws a figure with gnuplot: SVG and PNG, and the script and data to redraw it",
      .example =
          "  importance:\n"
          "    uses: plot\n"
          "    in: {table: \"ablate@*\"}\n"
          "    with: {kind: head-importance}\n",
      .params = schema,
      .inputs = {{.name = "table",
                  .help = "tables (CSV), or arrays such as attention maps (safetensors), as the "
                          "kind needs; of a fan-in, items name lines or panels",
                  .takes_many = true}},
      .outputs = {{"svg", "figure.svg", "for pages and papers"},
                  {"png", "figure.png", "at twice the size"},
                  {"script", "figure.gp",
                   "gnuplot figure.gp draws it again, as redrawn.svg and .png"},
                  {"data", "figure.dat", "what the script reads"}},
      .check = [kinds, schema](
                   const StageDeclaration& stage,
                   Diagnostics& diagnostics) { check(kinds, *schema, stage, diagnostics); },
      .uses_item_name = uses_every_item_name};
}

void run_plot(const FigureKinds& kinds, StageContext& context) {
  const PlotParams params = plot_schema(kinds).read(context.params());
  const FigureKind* kind = find_kind(kinds, params.kind);
  if (!kind) throw Error("there is no kind of figure '" + params.kind + "'");
  const FigureOptions options{
      .title = params.title,
      .size = {static_cast<int>(params.width), static_cast<int>(params.height)},
      .problem = params.problem,
      .x = params.x,
      .rows = params.rows,
      .metric = params.metric,
      .goal = params.goal == "min" ? Goal::kMin : Goal::kMax};
  const Figure figure = make_figure(*kind, read_table_inputs(context), options);
  context.throw_if_cancelled();
  const Drawing drawing = draw_with_gnuplot(figure, context.work());
  if (!drawing.warnings.empty()) std::printf("%s\n", drawing.warnings.c_str());
  write_output(context, "svg", drawing.svg);
  write_output(context, "png", drawing.png);
  write_output(context, "script", figure.script);
  write_output(context, "data", figure.data);
}

}  // namespace headway
