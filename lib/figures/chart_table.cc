#include "lib/figures/chart_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/any_tables.h"
#include "lib/figures/checks.h"

namespace headway {
namespace {

constexpr const char* kFewerPanels = "'panels' should name a column with fewer values";

bool is_log(const FigureOptions& options, const char* axis) {
  return std::ranges::find(options.log, axis) != options.log.end();
}

class ChartReader {
 public:
  ChartReader(const std::vector<NamedTable>& tables, const FigureOptions& options, ChartStyle style)
      : tables_(tables), options_(options) {
    chart_.style = style;
    chart_.has_log_x = is_log(options, "x");
    chart_.has_log_y = is_log(options, "y");
  }

  Chart read() {
    std::vector<std::string> columns = {options_.x};
    for (const auto* more : {&options_.y, &options_.low, &options_.high})
      columns.insert(columns.end(), more->begin(), more->end());
    for (const std::string& column : {options_.series, options_.panels}) {
      if (!column.empty()) columns.push_back(column);
    }
    check_tables(tables_, columns);
    rows_ = all_rows(tables_);
    place_rows();
    name_series();
    read_points();
    sort_points();
    chart_.x_name = options_.x_label.empty() ? options_.x : options_.x_label;
    chart_.y_name = options_.y_label.empty() ? join(options_.y, ", ") : options_.y_label;
    chart_.title = fmt::format("{} {} {}{}", join(options_.y, ", "),
                               chart_.categories.empty() ? "against" : "by", options_.x,
                               table_in_title(tables_));
    return std::move(chart_);
  }

 private:
  using SeriesKey = std::array<std::size_t, 3>;  // table, value of `series`, column of y

  const NamedTable& table_of(const RowPlace& place) const { return tables_[place.table]; }

  // Where rows stand along x.
  void place_rows() {
    const PlacedAxis axis = axis_of(tables_, options_.x);
    const bool has_texts = axis.axis.scale == AxisScale::kCategories;
    const bool can_have_categories =
        chart_.style == ChartStyle::kBars ||
        (chart_.style == ChartStyle::kPoints && has_texts && !chart_.has_log_x);
    if (can_have_categories && !(has_texts && only_lacks_numbers())) {
      chart_.categories = axis.axis.labels;
      chart_.has_number_categories = !has_texts;
      check_count(chart_.categories.size(), has_texts ? kMostCategories : kMostNumberCategories,
                  fmt::format("values of '{}'", printable(options_.x)),
                  "'panels' can name a column that splits them");
      for (const std::size_t place : axis.places) x_.push_back(static_cast<double>(place + 1));
      return;
    }
    for (const RowPlace& place : rows_) x_.push_back(number_on_x(table_of(place), place.row));
  }

  double number_on_x(const NamedTable& table, std::size_t row) const {
    const std::string& text = table.table.text(row, options_.x);
    if (!text.empty() && !parse_number(text) && !chart_.has_log_x)
      throw wrong_cell(table, row, options_.x,
                       "must be a number (kinds 'points' and 'bars' also take texts), not");
    if (std::isnan(optional_number(table, row, options_.x)))  // there are no gaps along x
      throw wrong_cell(table, row, options_.x, "must be a number, not");
    return drawable_number(table, row, options_.x, chart_.has_log_x);
  }

  // Whether all cells of x but empty ones are numbers: then these are mistakes, not texts.
  bool only_lacks_numbers() const {
    return std::ranges::all_of(rows_, [&](const RowPlace& place) {
      const std::string& text = table_of(place).table.text(place.row, options_.x);
      return text.empty() || parse_number(text);
    });
  }

  // The series that there are, in order, and the panels.
  void name_series() {
    const PlacedAxis values = axis_of(tables_, options_.series);
    const PlacedAxis panels = axis_of(tables_, options_.panels);
    values_ = values.places;
    panels_ = panels.places;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (std::size_t y = 0; y < options_.y.size(); ++y) series_[key(i, y)] = 0;
    }
    const bool are_tables = tables_.size() > 1, are_columns = options_.y.size() > 1;
    for (auto& [key, place] : series_) {
      place = chart_.series.size();
      const std::string table = are_tables ? tables_[key[0]].name : "";
      const std::string column = are_columns ? options_.y[key[2]] : "";
      ChartSeries& series = chart_.series.emplace_back();
      series.name = joined_names({table, value_name(values.axis, key[1]), column});
      // Colours and dashes show two axes: those of the names, if these are items alone.
      std::vector<std::string> axes;
      if (are_tables) axes.push_back(std::to_string(key[0]));
      if (values.axis.size() > 1) axes.push_back(std::to_string(key[1]));
      if (are_columns) axes.push_back(std::to_string(key[2]));
      series.style = are_tables && axes.size() == 1 ? table : join(axes, "-");
    }
    const bool are_bars = chart_.style == ChartStyle::kBars;
    check_count(chart_.series.size(), are_bars ? kMostBarColours : kMostLines,
                "series that must be told apart", "'panels' can name a column that splits them");
    check_count(panels.axis.size(), kMostChartPanels, "panels", kFewerPanels);
    for (std::size_t panel = 0; panel < panels.axis.size(); ++panel)
      chart_.panels.push_back(
          {value_name(panels.axis, panel), std::vector<ChartPoints>(chart_.series.size())});
  }

  SeriesKey key(std::size_t i, std::size_t y) const { return {rows_[i].table, values_[i], y}; }

  void read_points() {
    std::vector<bool> found(options_.y.size()), drawn(chart_.series.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (std::size_t y = 0; y < options_.y.size(); ++y) {
        const ChartPoint point{x_[i], interval(rows_[i], y)};
        const std::size_t series = series_.at(key(i, y));
        if (!std::isnan(point.y.value)) found[y] = drawn[series] = true;
        chart_.panels[panels_[i]].points[series].push_back(point);
        check_alone(i, series);
      }
    }
    for (std::size_t y = 0; y < found.size(); ++y) {
      if (!found[y]) throw no_number(tables_, options_.y[y]);
    }
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      if (!drawn[i]) chart_.series[i].name += " (no value)";
    }
  }

  // Lines would go up and down, and bars hide each other.
  void check_alone(std::size_t i, std::size_t series) {
    if (chart_.style == ChartStyle::kPoints) return;
    if (taken_.insert({panels_[i], series, x_[i]}).second) return;
    const RowPlace& place = rows_[i];
    const std::string& x = table_of(place).table.text(place.row, options_.x);
    throw same_place(table_of(place), place.row, fmt::format("{} '{}'", options_.x, x),
                     "'series' or 'panels'");
  }

  // A missing end is the value itself.
  Interval interval(const RowPlace& place, std::size_t y) const {
    const NamedTable& table = table_of(place);
    const auto number = [&](const std::string& column) {
      return drawable_number(table, place.row, column, chart_.has_log_y);
    };
    const double value = number(options_.y[y]);
    if (options_.low.empty()) return {value, std::nan(""), std::nan("")};
    double low = number(options_.low[y]), high = number(options_.high[y]);
    if (low > high)
      throw wrong_cell(table, place.row, options_.low[y],
                       fmt::format("must not be above '{}', {}, but is",
                                   printable(options_.high[y]), number_text(high)));
    if (std::isnan(low) && std::isnan(high)) return {value, low, high};
    if (std::isnan(low)) low = std::isnan(value) ? high : std::min(value, high);
    if (std::isnan(high)) high = std::isnan(value) ? low : std::max(value, low);
    return {value, low, high};
  }

  void sort_points() {
    for (ChartPanel& panel : chart_.panels) {
      for (ChartPoints& points : panel.points) {
        if (chart_.style == ChartStyle::kLines)
          std::ranges::stable_sort(points, {}, &ChartPoint::x);
      }
    }
  }

  const std::vector<NamedTable>& tables_;
  const FigureOptions& options_;
  Chart chart_;
  std::vector<RowPlace> rows_;
  // Of each row: its place along x, its value of `series` and its panel.
  std::vector<double> x_;
  std::vector<std::size_t> values_;
  std::vector<std::size_t> panels_;
  std::map<SeriesKey, std::size_t> series_;
  std::set<std::tuple<std::size_t, std::size_t, double>> taken_;  // panel, series, x
};

}  // namespace

void check_chart_options(const FigureOptions& options, ChartStyle style) {
  require_option("x", !options.x.empty(), "the column that goes to the right");
  require_option("y", !options.y.empty(), "the column, or columns, to draw");
  for (const auto& [name, ends] : {std::pair("low", &options.low), {"high", &options.high}}) {
    const bool has_other = !options.low.empty() || !options.high.empty();
    if (has_other)
      require_option(name, !ends->empty(), "an interval has two ends, 'low' and 'high'");
    if (ends->size() == options.y.size() || ends->empty()) continue;
    throw Error("parameter '{}' must name as many columns as 'y', {}, not {}", name,
                options.y.size(), ends->size());
  }
  if (style == ChartStyle::kBars && is_log(options, "x"))
    throw Error("parameter 'log': bars stand side by side; only y can be logarithmic");
  std::set<std::string> seen;
  for (const std::string& column : options.y) {
    if (seen.insert(column).second) continue;
    throw Error("parameter 'y' names column '{}' twice", printable(column));
  }
}

Chart read_chart(const std::vector<NamedTable>& tables, const FigureOptions& options,
                 ChartStyle style) {
  return ChartReader(tables, options, style).read();
}

}  // namespace headway
