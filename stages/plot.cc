#include "stages/plot.h"

#include <fmt/format.h>

#include "lib/report/kinds.h"

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

SchemaOf<PlotParams> declare() {
  SchemaOf<PlotParams> schema;
  schema.add("kind", &PlotParams::kind, kinds_help()).required().one_of(kind_names());
  schema.add("title", &PlotParams::title, "instead of the one that is made from the data");
  schema
      .add("problem", &PlotParams::problem,
           "of kind attention: which of the stored problems, from 0")
      .at_least(0);
  schema
      .add("width", &PlotParams::width,
           "pixels of the SVG, the PNG has twice as many; 0: what the kind needs for the data")
      .at_least(0)
      .at_most(kLargest);
  schema.add("height", &PlotParams::height, "as width").at_least(0).at_most(kLargest);
  return schema;
}

void check(const StageDeclaration& stage, Diagnostics& diagnostics) {
  const Value* kind = stage.params.find("kind");
  const Value* problem = stage.params.find("problem");
  if (!kind || !kind->text() || !problem || !problem->integer()) return;  // told by the schema
  const FigureKind* known = find_figure_kind(*kind->text());
  if (known && !known->takes_problem && *problem->integer() != 0) {
    diagnostics.add(problem->mark, fmt::format("{}: kind '{}' has no 'problem'; only attention "
                                               "has one",
                                               stage.subject, known->name));
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
  type.version = 2;
  type.summary = "draws a figure with gnuplot: SVG and PNG, and the script and data to redraw it";
  type.example = kExample;
  type.params = std::make_shared<SchemaOf<PlotParams>>(plot_schema());
  type.inputs = {{.name = "table",
                  .help =
                      "tables (CSV), or arrays such as attention maps (safetensors), as the kind "
                      "needs; of a fan-in, items name lines or panels",
                  .takes_many = true}};
  type.outputs = {
      {.name = "svg", .file = "figure.svg", .help = "for pages and papers", .mark = {}},
      {.name = "png", .file = "figure.png", .help = "at twice the size", .mark = {}},
      {.name = "script",
       .file = "figure.gp",
       .help = "gnuplot figure.gp draws it again, as redrawn.svg and .png",
       .mark = {}},
      {.name = "data", .file = "figure.dat", .help = "what the script reads", .mark = {}}};
  type.check = check;
  return type;
}

}  // namespace headway
