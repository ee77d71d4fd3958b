#include <algorithm>
#include <cmath>
#include <optional>

#include "lib/addition/figures/kinds.h"
#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/axes.h"
#include "lib/figures/checks.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

struct Grouping {
  std::string name;
  std::string meaning;
};

const std::vector<Grouping> kGroupings = {{"carries", "number of carries"},
                                          {"chain", "longest carry chain"},
                                          {"leading", "leading digit of the sum"},
                                          {"position", "position of the digit"}};

struct Point {
  std::string value;
  double count = 0;
  double greedy = 0;  // percent, like all below
  double low = 0;
  double high = 0;
  double teacher_forced = 0;  // NaN if not measured
};

Point read_point(const NamedTable& named, std::size_t row) {
  Point point;
  point.value = named.table.text(row, "value");
  point.count = required_number(named, row, "count");
  point.greedy = 100 * required_number(named, row, "greedy");
  const double low = 100 * named.table.number(row, "low");
  const double high = 100 * named.table.number(row, "high");
  point.low = std::isfinite(low) ? low : point.greedy;
  point.high = std::isfinite(high) ? high : point.greedy;
  point.teacher_forced = 100 * named.table.number(row, "teacher_forced");
  return point;
}

std::vector<Point> points_of(const NamedTable& named, const std::string& group) {
  std::vector<Point> points;
  for (std::size_t row = 0; row < named.table.size(); ++row) {
    if (named.table.text(row, "group") == group) points.push_back(read_point(named, row));
  }
  return points;
}

// 810000 -> "810 000"
std::string thousands(double count) {
  std::string digits = fmt::format("{:.0f}", count);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, " ");
  return digits;
}

struct Drawn {
  Grouping grouping;
  std::vector<Point> points;
};

// The width of a panel in points; at least that of its name.
double places_of(const Drawn& drawn) {
  return std::max(2.6, static_cast<double>(drawn.points.size()) + 0.2);
}

bool has_forced(const std::vector<Drawn>& panels) {
  return std::any_of(panels.begin(), panels.end(), [](const Drawn& panel) {
    return std::any_of(panel.points.begin(), panel.points.end(),
                       [](const Point& point) { return std::isfinite(point.teacher_forced); });
  });
}

Range y_range(const std::vector<Drawn>& panels) {
  double low = 100, high = 0;
  for (const Drawn& panel : panels) {
    for (const Point& point : panel.points) {
      low = std::min(low, point.low);
      high = std::max(high, point.high);
      if (!std::isfinite(point.teacher_forced)) continue;
      low = std::min(low, point.teacher_forced);
      high = std::max(high, point.teacher_forced);
    }
  }
  return percent_range(low, high);
}

const std::string kGreedyStyle = fmt::format("with yerrorbars pt 7 ps 0.8 lw 1.5 lc '{}'", kBlue);
const std::string kForcedStyle = fmt::format("with points pt 4 ps 0.8 lw 1.5 lc '{}'", kVermilion);
constexpr const char* kAllStyle = "with lines dt 3 lw 1 lc '#666666'";

// Below the axis, one line each: values, numbers of problems, meaning of the values. Positioned in
// pixels, because terminals space the lines of tick labels differently.
void name_places(Page& page, const Drawn& drawn, double axis) {
  std::vector<std::string> ticks;
  for (std::size_t i = 0; i < drawn.points.size(); ++i) {
    ticks.push_back(tick(drawn.points[i].value, i + 1));
    page.add("set label '{}' at first {}, screen {:.4f} center font ',10' textcolor '#444444'",
             thousands(drawn.points[i].count), i + 1, page.y(axis + 29));
  }
  page.add("set xtics ({})", join(ticks, ", "));
  page.add("set label {} at graph 0.5, screen {:.4f} center", literal(drawn.grouping.meaning),
           page.y(axis + 50));
}

// Points, not bars: on an axis that does not start at 0, bars would mislead.
void draw_panel(Page& page, const Drawn& drawn, const std::optional<Point>& all) {
  const std::string& name = drawn.grouping.name;
  std::vector<std::vector<std::string>> rows, forced;
  for (std::size_t i = 0; i < drawn.points.size(); ++i) {
    const Point& point = drawn.points[i];
    rows.push_back({cell(i + 1), cell(point.greedy), cell(point.low), cell(point.high)});
    if (std::isfinite(point.teacher_forced)) {
      forced.push_back({cell(i + 1), cell(point.teacher_forced)});
    }
  }
  std::vector<std::string> parts;
  if (all) parts.push_back(fmt::format("{} {}", number_text(all->greedy), kAllStyle));
  const std::size_t index = page.block(name, {"place", "greedy", "low", "high"}, rows);
  parts.push_back(
      fmt::format("'figure.dat' index {} using ($1-0.1):2:3:4 {}", index, kGreedyStyle));
  if (!forced.empty()) {
    const std::size_t forced_index =
        page.block(name + ", teacher-forced", {"place", "teacher_forced"}, forced);
    parts.push_back(
        fmt::format("'figure.dat' index {} using ($1+0.1):2 {}", forced_index, kForcedStyle));
  }
  page.add("set xrange [0.4:{}.6]", drawn.points.size());
  page.add("plot {}", join(parts, ", \\\n     "));
}

std::string default_title(const std::optional<Point>& all) {
  if (!all) return "Accuracy by carries";
  return fmt::format("Accuracy by carries: {} % of {} problems right (greedy)",
                     percent_label(all->greedy), thousands(all->count));
}

}  // namespace

Figure draw_carry_accuracy(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  require_columns(tables, {"group", "value", "count", "greedy", "low", "high", "teacher_forced"});
  if (tables.size() != 1) {
    throw Error(
        fmt::format("takes one table, not {}: draw each in a figure of its own", tables.size()));
  }
  std::vector<Drawn> drawn;
  double places = 0;
  for (const Grouping& grouping : kGroupings) {
    const std::vector<Point> points = points_of(tables[0], grouping.name);
    if (points.empty()) continue;
    drawn.push_back({grouping, points});
    places += places_of(drawn.back());
  }
  if (drawn.empty()) {
    throw Error(subject_of(tables[0]) +
                " has no row whose group is carries, chain, leading or position");
  }
  const std::vector<Point> overall = points_of(tables[0], "all");
  const std::optional<Point> all = overall.empty() ? std::nullopt : std::optional(overall[0]);
  const Range range = y_range(drawn);

  std::vector<LegendEntry> entries = {{kGreedyStyle, "greedy, 95 % interval"}};
  if (has_forced(drawn)) entries.push_back({kForcedStyle, "teacher-forced"});
  if (all) entries.push_back({kAllStyle, "all problems, greedy"});
  const double gap = 25;
  const double gaps = gap * static_cast<double>(drawn.size() - 1);
  const Size needed{static_cast<int>(std::max(100 + gaps + places * 58, legend_width(entries))),
                    400};
  Page page("carry-accuracy: accuracy by what makes an addition hard", options, needed,
            default_title(all));
  const double bottom = page.size().height - 98.0;
  page.add("set grid ytics {}", kGridStyle);
  page.add("set yrange [{}:{}]", number_text(range.low), number_text(range.high));
  page.add("set ylabel {}", literal(range.low > 0 ? "correct (%), axis cut" : "correct (%)"));
  page.add("unset key");
  page.add("set xtics scale 0 font ',10'");
  page.add(
      "set label 'problems' at screen {:.4f}, screen {:.4f} right font ',10' textcolor '#444444'",
      page.x(72), page.y(bottom + 29));
  double left = 80;
  const double per_place = (page.size().width - left - 20 - gaps) / places;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const double right = left + per_place * places_of(drawn[i]);
    page.place({left, right, 45, bottom});
    name_places(page, drawn[i], bottom);
    draw_panel(page, drawn[i], all);
    page.add("unset ylabel; unset label; set format y ''");
    left = right + gap;
  }
  page.legend(entries);
  return page.finish();
}

}  // namespace headway
