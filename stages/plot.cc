#include "stages/plot.h"

#include <fmt/format.h>

#include "lib/figures/kinds.h"

namespace headway {
namespace {

// Cairo takes no picture of more than 32767 pixels, and the PNG has twice these.
constexpr double kLargest = 16000;

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const FigureKind& kind : figure_kinds()) names.push_back(kind.name);
  return names;
}

std::string kinds_help() {
  std::string help = "what to draw; ";
  for (const FigureKind& kind : figure_kinds()) {
    if (&kind != &figure_kinds().front()) help += "; ";
    help += fmt::format("{}: {}", kind.name, kind.help);
  }
  return help;
}

// "a, b and c"
std::string listed(const std::vector<std::string>& names) {
  std::string text = names.front();
  for (std::size_t i = 1; i < names.size(); ++i) {
    text += (i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

std::string help_for(std::string_view option, std::string_view help) {
  const std::vector<std::string> takers = kinds_taking(option);
  return fmt::format("of kind{} {}: {}", takers.size() == 1 ? "" : "s", listed(takers), help);
}

SchemaOf<PlotParams> declare() {
  SchemaOf<PlotParams> schema;
  schema.add("kind", &PlotParams::kind, kinds_help()).required().one_of(kind_names());
  schema.add("title", &PlotParams::title, "instead of the one that is made from the data");
  schema
      .add("problem", &PlotParams::problem,
           help_for("problem", "which of the stored problems, from 0"))
      .at_least(0);
  schema.add("x", &PlotParams::x,
             help_for("x",
                      "the column of the axis that goes to the right; may be left out where there "
                      "is only one"));
  schema.add("rows", &PlotParams::rows,
             help_for("rows", "the column of the axis that goes down; as x"));
  schema.add("metric", &PlotParams::metric, help_for("metric", "the column that is shown; as x"));
  schema
      .add("goal", &PlotParams::goal,
           help_for("goal", "whether the highest or the lowest metric is the best"))
      .one_of({"max", "min"});
  schema
      .add("width", &PlotParams::width,
           "pixels of the SVG, the PNG has twice as many; 0: what the kind needs for the data")
      .at_least(0)
      .at_most(kLargest);
  schema.add("height", &PlotParams::height, "as width").at_least(0).at_most(kLargest);
  return schema;
}

// Whether a parameter has a value of its own; one of the wrong type is told by the schema.
bool is_given(const Field& field, const Value& value) {
  const Json json = to_json(value);
  return json.type() == field.default_value.type() && json != field.default_value;
}

// What some kinds take and others do not must not be given to the others: it would do nothing.
void check(const StageDeclaration& stage, Diagnostics& diagnostics) {
  const Value* name = stage.params.find("kind");
  const FigureKind* kind = name && name->text() ? find_figure_kind(*name->text()) : nullptr;
  if (!kind) return;  // told by the schema
  for (const Field& field : plot_schema().fields()) {
    const std::vector<std::string> takers = kinds_taking(field.name);
    const Value* value = stage.params.find(field.name);
    if (takers.empty() || kind->takes(field.name) || !value || !is_given(field, *value)) continue;
    diagnostics.add(
        value->location,
        fmt::format("{}: kind '{}' has no '{}'; only {} {} one", stage.subject, kind->name,
                    field.name, listed(takers), takers.size() == 1 ? "has" : "have"));
  }
}

constexpr const char* kExample =
    "  importance:\n"
    "    uses: plot\n"
    "    in: {table: \"ablate@*\"}\n"
    "    with: {kind: head-importance}\n";

}  // namespace

const SchemaOf<PlotParams>& plot_schema() {
  static const SchemaOf<PlotParams> kSchema = declare();
  return kSchema;
}

StageType plot_stage() {
  StageType type;
  type.name = "plot";
  type.version = 3;
  type.summary = "draws a figure with gnuplot: SVG and PNG, and the script and data to redraw it";
  type.example = kExample;
  type.params = std::make_shared<SchemaOf<PlotParams>>(plot_schema());
  type.inputs = {{.name = "table",
                  .help =
                      "tables (CSV), or arrays such as attention maps (safetensors), as the kind "
                      "needs; of a fan-in, items name lines or panels",
                  .takes_many = true}};
  type.outputs = {
      {.name = "svg", .file = "figure.svg", .help = "for pages and papers", .location = {}},
      {.name = "png", .file = "figure.png", .help = "at twice the size", .location = {}},
      {.name = "script",
       .file = "figure.gp",
       .help = "gnuplot figure.gp draws it again, as redrawn.svg and .png",
       .location = {}},
      {.name = "data", .file = "figure.dat", .help = "what the script reads", .location = {}}};
  type.check = check;
  type.uses_item_name = [](const Value&, const std::string&) { return true; };  // in labels
  return type;
}

}  // namespace headway
