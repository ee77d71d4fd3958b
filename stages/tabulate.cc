#include "lib/figures/pivot.h"
#include "stages/artifacts.h"
#include "stages/params.h"
#include "stages/stages.h"

namespace headway {
namespace {

struct TabulateParams : PivotOptions {
  static SchemaOf<TabulateParams> schema();
};

SchemaOf<TabulateParams> TabulateParams::schema() {
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

StageType tabulate_stage() {
  return {
      .name = "tabulate",
      .summary = "compares tables: a row for each of them, a column for each value of one column",
      .example =
          "  comparison:\n"
          "    uses: tabulate\n"
          "    in: {table: \"lengths@*\"}\n"
          "    with: {value: accuracy, across: length, by: [negatives], first: [\"32\", \"64\"], "
          "percent: true}\n",
      .params = schema_of<TabulateParams>(),
      .inputs = {{.name = "table",
                  .help = "tables (CSV) with the same columns; items of a fan-in name the rows",
                  .takes_many = true}},
      .outputs = {{"table", "table.csv", "the comparison"},
                  {"markdown", "table.md", "the same, for a page"}},
      .uses_item_name = uses_every_item_name};
}

void run_tabulate(StageContext& context) {
  const auto params = read_params<TabulateParams>(context);
  std::vector<NamedTable> tables;
  for (const FigureSource& source : read_table_inputs(context))
    tables.push_back({source.name, parse_csv(source.bytes, source.file)});
  const Table table = pivot(tables, params);
  write_table(context, "table", table);
  write_output(context, "markdown", to_markdown(table));
}

}  // namespace headway
