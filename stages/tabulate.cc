#include "stages/tabulate.h"

namespace headway {
namespace {

constexpr const char* kExample =
    "  comparison:\n"
    "    uses: tabulate\n"
    "    in: {table: \"lengths@*\"}\n"
    "    with: {value: accuracy, across: length, by: [negatives], first: [\"32\", \"64\"], "
    "percent: true}\n";

SchemaOf<TabulateParams> declare() {
  using Params = TabulateParams;
  SchemaOf<Params> schema;
  schema.add("value", &Params::value, "the column to show").required();
  schema.add("across", &Params::across, "the column whose values become columns").required();
  schema.add("by", &Params::by, "columns that tell the rows of one table apart");
  schema.add("first", &Params::first, "values of 'across' whose columns stand first");
  schema.add("percent", &Params::percent, "shows shares as percentages, with one decimal");
  return schema;
}

}  // namespace

const SchemaOf<TabulateParams>& tabulate_schema() {
  static const SchemaOf<TabulateParams> kSchema = declare();
  return kSchema;
}

StageType tabulate_stage() {
  StageType type;
  type.name = "tabulate";
  type.summary = "compares tables: a row for each of them, a column for each value of one column";
  type.example = kExample;
  type.params = std::make_shared<SchemaOf<TabulateParams>>(tabulate_schema());
  type.inputs = {{.name = "table",
                  .help = "tables (CSV) with the same columns; items of a fan-in name the rows",
                  .takes_many = true}};
  type.outputs = {
      {.name = "table", .file = "table.csv", .help = "the comparison", .location = {}},
      {.name = "markdown", .file = "table.md", .help = "the same, for a page", .location = {}}};
  type.uses_item_name = [](const Value&, const std::string&) { return true; };  // of columns
  return type;
}

}  // namespace headway
