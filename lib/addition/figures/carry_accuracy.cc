#include <algorithm>
#include <cmath>
#include <optional>

#include "lib/addition/addition.h"
#include "lib/addition/figures/kinds.h"
#include "lib/base/error.h"
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
  Interval greedy;            // percent
  double teacher_forced = 0;  // percent; NaN if not measured
};

std::vector<Point> points_of(const NamedTable& named, const std::string& group) {
  std::vector<Point> points;
  for (std::size_t row = 0; row < named.table.size(); ++row) {
    if (named.table.text(row, "group") != group) continue;
    points.push_back({named.table.text(row, "value"), required_number(named, row, "count"),
                      required_interval(named, row, "greedy", 100),
                      100 * optional_number(named, row, "teacher_forced")});
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
  return std::ranges::any_of(panels, [](const Drawn& panel) {
    return std::ranges::any_of(
        panel.points, [](const Point& point) { return std::isfinite(point.teacher_forced); });
  });
}

Range y_range(const std::vector<Drawn>& panels) {
  double low = 100, high = 0;
  for (const Drawn& panel : panels) {
    for (const Point& point : panel.points) {
      low = std::fmin(std::min(low, point.greedy.low), point.teacher_forced);
      high = std::fmax(std::max(high, point.greedy.high), point.teacher_forced);
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
  std::vector<std::string> values;
  for (std::size_t i = 0; i < drawn.points.size(); ++i) {
    values.push_back(drawn.points[i].value);
    page.add("set label '{}' at first {}, screen {:.4f} center font ',10' textcolor '#444444'",
             thousands(drawn.points[i].count), i + 1, page.y(axis + 29));
  }
  page.add("set xtics ({})", ticks(values));
  page.add("set label {} at graph 0.5, screen {:.4f} center", literal(drawn.grouping.meaning),
           page.y(axis + 50));
}

// Points, not bars: on an axis that does not start at 0, bars would mislead.
void draw_panel(Page& page, const Drawn& drawn, const std::optional<Point>& all) {
  const std::string& name = drawn.grouping.name;
  Rows rows, forced;
  for (std::size_t i = 0; i < drawn.points.size(); ++i) {
    const Point& point = drawn.points[i];
    rows.push_back(
        {cell(i + 1), cell(point.greedy.value), cell(point.greedy.low), cell(point.greedy.high)});
    if (std::isfinite(point.teacher_forced)) {
      forced.push_back({cell(i + 1), cell(point.teacher_forced)});
    }
  }
  std::vector<std::string> parts;
  if (all) parts.push_back(fmt::format("{} {}", number_text(all->greedy.value), kAllStyle));
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
  page.plot(parts);
}

std::string default_title(const std::optional<Point>& all) {
  if (!all) return "Accuracy by carries";
  return fmt::format("Accuracy by carries: {} % of {} problems right (greedy)",
                     percent_label(all->greedy.value), thousands(all->count));
}

// Accuracy by what makes an addition hard, one panel for each grouping. Columns group (carries,
// chain, leading, position; also `all`), value, count, greedy and its interval low, high, and
// teacher_forced (fractions). Expects one table.
Figure draw_carry_accuracy(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  require_columns(tables, {"group", "value", "count", "greedy", "low", "high", "teacher_forced"});
  if (tables.size() != 1)
    throw Error("takes one table, not {}: draw each in a figure of its own", tables.size());
  std::vector<Drawn> drawn;
  double places = 0;
  for (const Grouping& grouping : kGroupings) {
    const std::vector<Point> points = points_of(tables[0], grouping.name);
    if (points.empty()) continue;
    drawn.push_back({grouping, points});
    places += places_of(drawn.back());
  }
  if (drawn.empty())
    throw Error(subject_of(tables[0]) +
                " has no row whose group is carries, chain, leading or position");
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

}  // namespace

FigureKinds addition_figure_kinds() {
  const TokenNames tokens = {.label = token_label, .spelled = [](Token token) {
                               const bool is_marker =
                                   token == kPad || token == kBos || token == kEos;
                               return is_marker ? "" : token_text(token);
                             }};
  return {attention_kind(tokens),
          {.name = "carry-accuracy",
           .help = "accuracy by carries, carry chain, leading digit and position",
           .from_tables = draw_carry_accuracy,
           .needs = "columns group, value, count, greedy, low, high, teacher_forced"}};
}

}  // namespace headway
