#include "lib/figures/pivot.h"
#include "stages/figure_sources.h"
#include "stages/tabulate.h"

namespace headway {

void run_tabulate(StageContext& context) {
  const TabulateParams params = tabulate_schema().read(context.params());
  std::vector<NamedTable> tables;
  for (const FigureSource& source : read_sources(context)) {
    tables.push_back({source.name, parse_csv(source.bytes, source.file)});
  }
  const Table table =
      pivot(tables, {params.value, params.across, params.by, params.first, params.percent});
  RealFileSystem files;
  files.write(context.output("table"), table.to_csv(), Durability::kCached);
  files.write(context.output("markdown"), to_markdown(table), Durability::kCached);
}

}  // namespace headway
