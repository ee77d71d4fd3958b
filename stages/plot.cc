#include <fmt/format.h>

#include <cstdio>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/gnuplot.h"
#include "lib/report/phrases.h"
#include "stages/artifacts.h"
#include "stages/params.h"
#include "stages/stages.h"

namespace headway {
namespace {

// Cairo allows 32767 pixels, and the PNG has twice as many as this.
constexpr double kLargest = 16000;

struct PlotParams : FigureOptions {
  std::string kind;
  std::string goal_name = "max";
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

SchemaOf<PlotParams> plot_schema(const FigureKinds& kinds) {
  std::vector<std::string> names, helps;
  for (const FigureKind& kind : kinds) {
    names.push_back(kind.name);
    helps.push_back(fmt::format("- {}: {} ({})", kind.name, kind.help, kind.needs));
  }
  // An option that only some kinds have.
  const auto of_some = [&](const char* option, std::string_view help) {
    const std::vector<std::string> takers = kinds_taking(kinds, option);
    return fmt::format("of kind{} {}: {}", takers.size() == 1 ? "" : "s", enumerated(takers), help);
  };
  SchemaOf<PlotParams> schema;
  schema
      .add("kind", &PlotParams::kind,
           "what to draw; a table may have more columns:\n" + join(helps, "\n"))
      .required()
      .one_of(names);
  schema.add("title", &PlotParams::title, "instead of the one that is made from the data");
  schema
      .add("problem", &PlotParams::problem,
           of_some("problem", "which of the stored problems, from 0"))
      .at_least(0);
  schema
      .add("groups", &PlotParams::groups,
           of_some("groups", "the values of column group to draw, in this order; none: all"))
      .or_single();
  schema.add("x", &PlotParams::x,
             of_some("x",
                     "the column of the axis that goes to the right; of a sweep it may be left out "
                     "where there is only one"));
  schema
      .add("y", &PlotParams::y,
           of_some("y", "the column to draw, or several; an empty cell is a gap"))
      .or_single();
  schema
      .add("low", &PlotParams::low,
           of_some("low", "the column with the lower end of an interval; for several y, as many"))
      .or_single();
  schema.add("high", &PlotParams::high, of_some("high", "the upper end; as low")).or_single();
  schema.add("series", &PlotParams::series,
             of_some("series",
                     "a column, each of whose values is a series; several tables are series too, "
                     "named by their items"));
  schema.add("panels", &PlotParams::panels,
             of_some("panels", "a column, each of whose values is a panel; ranges are shared"));
  schema.add("log", &PlotParams::log, of_some("log", "the axis that is logarithmic, or both"))
      .one_of({"x", "y"})
      .or_single();
  schema.add("x_label", &PlotParams::x_label,
             of_some("x_label", "names the axis, instead of its column"));
  schema.add("y_label", &PlotParams::y_label, of_some("y_label", "as x_label"));
  schema.add("rows", &PlotParams::rows,
             of_some("rows", "the column of the axis that goes down; of a sweep as x"));
  schema.add("metric", &PlotParams::metric,
             of_some("metric", "the column that is shown; of a sweep as x"));
  schema
      .add("goal", &PlotParams::goal_name,
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

FigureOptions options_of(const PlotParams& params) {
  FigureOptions options = params;
  options.size = {static_cast<int>(params.width), static_cast<int>(params.height)};
  options.goal = params.goal_name == "min" ? Goal::kMin : Goal::kMax;
  return options;
}

// What the kind says of its options; "" if they are right.
std::string mistake_of(const FigureKind& kind, const SchemaOf<PlotParams>& schema,
                       const Value& params) {
  if (!kind.check_options) return "";
  try {
    kind.check_options(options_of(schema.read(to_json(params))));
  } catch (const Error& error) {
    return error.what();
  } catch (const Json::exception&) {  // a wrong type, refused by the schema
  }
  return "";
}

// Refuses options that the kind does not have, since they would do nothing, and those that do not
// fit together.
void check_plot(const FigureKinds& kinds, const SchemaOf<PlotParams>& schema,
                const StageDeclaration& stage, Diagnostics& diagnostics) {
  const Value* name = stage.params.find("kind");
  const FigureKind* kind = name && name->text() ? find_kind(kinds, *name->text()) : nullptr;
  if (!kind) return;  // refused by the schema
  for (const Field& field : schema.fields()) {
    const std::vector<std::string> takers = kinds_taking(kinds, field.name);
    const Value* value = stage.params.find(field.name);
    if (takers.empty() || kind->takes(field.name) || !value || !is_given(field, *value)) continue;
    diagnostics.add(value->location, "{}: kind '{}' has no '{}'; only {} {} one", stage.subject,
                    kind->name, field.name, enumerated(takers),
                    takers.size() == 1 ? "has" : "have");
  }
  if (const std::string mistake = mistake_of(*kind, schema, stage.params); !mistake.empty())
    diagnostics.add(name->location, "{}: kind '{}': {}", stage.subject, kind->name, mistake);
}

}  // namespace

StageType plot_stage(const FigureKinds& kinds) {
  const auto schema = std::make_shared<SchemaOf<PlotParams>>(plot_schema(kinds));
  return {
      .name = "plot",
      .version = 4,
      .summary = "draws a figure with gnuplot: SVG and PNG, and the script and data to redraw it",
      .example =
          "  importance:\n"
          "    uses: plot\n"
          "    in: {table: \"ablate@*\"}\n"
          "    with: {kind: head-importance}\n"
          "  losses:\n"
          "    uses: plot\n"
          "    in: {table: train.log}\n"
          "    with: {kind: lines, x: epoch, y: [train_loss, val_loss], log: y}\n",
      .params = schema,
      .inputs = {{.name = "table",
                  .help = "tables (CSV), or arrays such as attention maps (safetensors), as the "
                          "kind needs; of a fan-in, items name series or panels",
                  .takes_many = true}},
      .outputs = {{"svg", "figure.svg", "for pages and papers"},
                  {"png", "figure.png", "at twice the size"},
                  {"script", "figure.gp",
                   "gnuplot figure.gp draws it again, as redrawn.svg and .png"},
                  {"data", "figure.dat", "what the script reads"}},
      .check = [kinds, schema](
                   const StageDeclaration& stage,
                   Diagnostics& diagnostics) { check_plot(kinds, *schema, stage, diagnostics); },
      .uses_item_name = uses_every_item_name};
}

void run_plot(const FigureKinds& kinds, StageContext& context) {
  const PlotParams params = plot_schema(kinds).read(context.params());
  const FigureKind* kind = find_kind(kinds, params.kind);
  if (!kind) throw Error("there is no kind of figure '" + params.kind + "'");
  const Figure figure = make_figure(*kind, read_table_inputs(context), options_of(params));
  context.throw_if_cancelled();
  const Drawing drawing = draw_with_gnuplot(figure, context.work());
  if (!drawing.warnings.empty()) std::printf("%s\n", drawing.warnings.c_str());
  write_output(context, "svg", drawing.svg);
  write_output(context, "png", drawing.png);
  write_output(context, "script", figure.script);
  write_output(context, "data", figure.data);
}

}  // namespace headway
