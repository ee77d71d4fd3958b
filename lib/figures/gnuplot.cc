#include "lib/figures/gnuplot.h"

#include <fmt/format.h>

#include <regex>

#include "lib/base/error.h"
#include "lib/base/picture.h"
#include "lib/base/text.h"
#include "lib/base/tool.h"

namespace headway {
namespace {

constexpr double kTimeLimit = 300;  // seconds; the largest figures take one second

// The script line that a message such as `"figure.gp" line 12: undefined variable` refers to.
std::string line_of(const std::string& message, const std::string& script) {
  static const std::regex kPlace("\"figure\\.gp\",? line ([0-9]{1,6}):");
  std::smatch match;
  if (!std::regex_search(message, match, kPlace)) return "";
  const std::vector<std::string> lines = split(script, '\n');
  const std::size_t number = std::stoul(match[1]);
  if (number == 0 || number > lines.size()) return "";
  return fmt::format("; line {} of the script: {}", number, lines[number - 1]);
}

}  // namespace

Drawing draw_with_gnuplot(const Figure& figure, const Path& work) {
  ToolSpec gnuplot;
  gnuplot.program = "gnuplot";
  gnuplot.package = "gnuplot-nox";
  gnuplot.folder = work;
  // -d: no settings of the user or machine, so that a script always gives the same figure.
  gnuplot.arguments = {"-d", "-e", "name = 'figure'", "figure.gp"};
  gnuplot.files = {{"figure.gp", figure.script}, {"figure.dat", figure.data}};
  gnuplot.outputs = {{"figure.svg", svg_problem}, {"figure.png", png_problem}};
  gnuplot.time_limit = kTimeLimit;
  const ToolResult result = run_tool(gnuplot);
  if (!result.exit.succeeded())
    throw Error("gnuplot failed ({}): {}{}", result.exit.describe(), result.said,
                line_of(result.said, figure.script));
  return {result.outputs[0], result.outputs[1], result.said};
}

}  // namespace headway
