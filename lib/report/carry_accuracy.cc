#include "lib/report/carry_accuracy.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/page.h"
#include "lib/report/percent_axis.h"
#include "lib/report/style.h"
#include "lib/report/table_checks.h"

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
  double greedy = 0;  // percent, as all below
  double low = 0;
  double high = 0;
  double teacher_forced = 0;  // NaN where it was not measured
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

// 810000 -> "810 000": eight digits in a row cannot be read.
std::string thousands(double count) {
  std::string digits = fmt::format("{:.0f}", count);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, " ");
  return digits;
}

struct Drawn {
  Grouping grouping;
  std::vector<Point> points;
};

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

// Points, not bars: where the axis does not begin at 0, the length of a bar would mislead.
void draw_panel(Page& page, const Drawn& drawn, const std::optional<Point>& all, bool is_first) {
  std::vector<std::vector<std::string>> rows, forced;
  for (std::size_t i = 0; i < drawn.points.size(); ++i) {
    const Point& point = drawn.points[i];
    const double x = static_cast<double>(i + 1);
    rows.push_back({cell(x), cell(point.greedy), cell(point.low), cell(point.high),
                    cell(point.value), cell(thousands(point.count))});
    if (std::isfinite(point.teacher_forced))
      forced.push_back({cell(x), cell(point.teacher_forced)});
  }
  std::vector<std::string> parts;
  if (all)
    parts.push_back(fmt::format("{} with lines dt 3 lw 1 lc '#666666' {}", number_text(all->greedy),
                                is_first ? "title 'all problems, greedy'" : "notitle"));
  const std::size_t index =
      page.block(drawn.grouping.name, {"place", "greedy", "low", "high", "value", "count"}, rows);
  // The data's text, not a tick's: the number of problems goes into a second line.
  parts.push_back(fmt::format(
      "'figure.dat' index {} using ($1-0.1):2:3:4:xtic(strcol(5).\"\\n\".strcol(6)) with "
      "yerrorbars pt 7 ps 0.8 lw 1.5 lc '{}' {}",
      index, kBlue, is_first ? "title 'greedy, 95 % interval'" : "notitle"));
  if (!forced.empty()) {
    const std::size_t forced_index =
        page.block(drawn.grouping.name + ", teacher-forced", {"place", "teacher_forced"}, forced);
    parts.push_back(
        fmt::format("'' index {} using ($1+0.1):2 with points pt 4 ps 0.8 lw 1.5 lc '{}' {}",
                    forced_index, kVermilion, is_first ? "title 'teacher-forced'" : "notitle"));
  }
  page.add("set xrange [0.4:{}.6]", drawn.points.size());
  page.add("set xlabel {}", literal(drawn.grouping.meaning));
  page.add("plot {}", join(parts, ", \\\n     "));
}

std::string default_title(const std::optional<Point>& all) {
  if (!all) return "Accuracy by carries";
  return fmt::format("Accuracy by carries: {} % of {} problems right (greedy)",
                     number_text(all->greedy), thousands(all->count));
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
    places += static_cast<double>(points.size()) + 0.2;
  }
  if (drawn.empty()) {
    throw Error(subject_of(tables[0]) +
                " has no row whose group is carries, chain, leading or position");
  }
  const std::vector<Point> overall = points_of(tables[0], "all");
  const std::optional<Point> all = overall.empty() ? std::nullopt : std::optional(overall[0]);
  const Range range = y_range(drawn);

  const double gap = 25;
  const double gaps = gap * static_cast<double>(drawn.size() - 1);
  const Size needed{static_cast<int>(100 + gaps + places * 58), 400};
  Page page("carry-accuracy: accuracy by what makes an addition hard",
            size_or(options.size, needed),
            options.title.empty() ? default_title(all) : options.title);
  page.add("set grid ytics linecolor '#DDDDDD'");
  page.add("set yrange [{}:{}]", number_text(range.low), number_text(range.high));
  page.add("set ylabel {}", literal(range.low > 0 ? "correct (%), axis cut" : "correct (%)"));
  page.add("set key at screen 0.5, screen {:.4f} center bottom horizontal",
           page.y(page.size().height - 8.0));
  page.add("set xtics scale 0");
  double left = 80;
  const double per_place = (page.size().width - left - 20 - gaps) / places;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const double right = left + per_place * (static_cast<double>(drawn[i].points.size()) + 0.2);
    page.place({left, right, 45, page.size().height - 105.0});
    draw_panel(page, drawn[i], all, i == 0);
    page.add("unset key; unset ylabel; set format y ''");
    left = right + gap;
  }
  return page.finish();
}

}  // namespace headway
