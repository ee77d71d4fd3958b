#include "lib/figures/gnuplot.h"

#include <fmt/format.h>

#include <regex>

#include "lib/base/error.h"
#include "lib/base/picture.h"
#include "lib/base/text.h"
#include "lib/base/tool.h"
#include "lib/figures/missing_letters.h"

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

ToolResult run_gnuplot(const Figure& figure, const Path& work, const std::string& settings,
                       const std::vector<ToolOutput>& outputs) {
  ToolSpec gnuplot;
  gnuplot.program = "gnuplot";
  gnuplot.package = "gnuplot-nox";
  gnuplot.folder = work;
  // -d: no settings of the user or machine, so that a script always gives the same figure.
  gnuplot.arguments = {"-d", "-e", settings, "figure.gp"};
  gnuplot.files = {{"figure.gp", figure.script}, {"figure.dat", figure.data}};
  gnuplot.outputs = outputs;
  gnuplot.time_limit = kTimeLimit;
  ToolResult result = run_tool(gnuplot);
  if (!result.exit.succeeded())
    throw Error("gnuplot failed ({}): {}{}", result.exit.describe(), result.said,
                line_of(result.said, figure.script));
  return result;
}

}  // namespace

Drawing draw_with_gnuplot(const Figure& figure, const Path& work) {
  ToolResult both = run_gnuplot(figure, work, "name = 'figure'",
                                {{"figure.svg", svg_problem}, {"figure.png", png_problem}});
  const Figure drawable = without_missing_letters(figure, work);
  if (drawable.script != figure.script || drawable.data != figure.data)
    both.outputs[1] = run_gnuplot(drawable, work, "name = 'figure'; format = 'png'",
                                  {{"figure.png", png_problem}})
                          .outputs[0];
  return {both.outputs[0], both.outputs[1], both.said};
}

}  // namespace headway
