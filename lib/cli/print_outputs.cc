#include "lib/cli/print_outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/numerics/table.h"

namespace headway {
namespace {

constexpr std::size_t kMostLines = 60;
constexpr std::size_t kMostColumns = 400;

std::string cut(const std::vector<std::string>& lines, const std::string& indent) {
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) {
    text += indent + fit(printable(lines[i]), kMostColumns) + "\n";
  }
  if (lines.size() > kMostLines) {
    text += fmt::format("{}… and {} more\n", indent, lines.size() - kMostLines);
  }
  return text;
}

std::string table_text(const Table& table, const std::vector<std::string>& wanted) {
  const std::vector<std::string>& columns = wanted.empty() ? table.columns() : wanted;
  for (const std::string& column : columns) table.column(column);  // throws if there is none
  std::vector<std::vector<std::string>> rows = {columns};
  for (std::size_t row = 0; row < table.size(); ++row) {
    std::vector<std::string> cells;
    for (const std::string& column : columns) cells.push_back(printable(table.text(row, column)));
    rows.push_back(std::move(cells));
  }
  return format_table(rows);
}

std::string output_text(const std::string& bytes, const Printing& printing,
                        const std::string& name) {
  std::string text = bytes;
  if (printing.file.ends_with(".csv")) text = table_text(parse_csv(bytes, name), printing.columns);
  if (text.ends_with('\n')) text.pop_back();
  return cut(split(text, '\n'), "  ");
}

}  // namespace

std::string printed_outputs(FileSystem& files, const StageSpec& stage, const Path& folder) {
  std::string text;
  for (const Printing& printing : stage.printings) {
    const Path path = folder / stage.name / printing.file;
    const auto bytes = files.read(path);
    if (!bytes) continue;
    text += fmt::format("\n{}: {}\n", stage.name, printing.file);
    try {
      text += output_text(*bytes, printing, path.string());
    } catch (const Error& error) {  // a missing column must not fail a good run
      text += fmt::format("  {}\n", error.what());
    }
  }
  return text;
}

}  // namespace headway
