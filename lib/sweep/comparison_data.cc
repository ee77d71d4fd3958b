#include <charconv>
#include <cmath>
#include <optional>

#include "lib/sweep/comparison.h"

namespace headway {
namespace {

std::optional<double> as_number(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Json finite_or_null(double number) {
  return std::isfinite(number) ? Json(number) : Json(nullptr);
}

// Integers are written without a decimal point.
Json axis_number(double number) {
  constexpr double kExact = 0x1p53;
  if (number == std::floor(number) && std::abs(number) < kExact)
    return static_cast<std::int64_t>(number);
  return finite_or_null(number);
}

}  // namespace

Table to_table(const Comparison& comparison) {
  std::vector<std::string> columns = comparison.axes;
  for (const std::string& metric : comparison.metrics) {
    for (const char* bound : {"", " low", " high"}) columns.push_back(metric + bound);
  }
  columns.insert(columns.end(), {"seeds", "failed", "best"});
  Table table(std::move(columns));
  for (const Comparison::Row& row : comparison.rows) {
    std::vector<std::string> cells = row.values;
    for (const MeanInterval& interval : row.metrics) {
      cells.push_back(number_text(interval.mean));
      cells.push_back(number_text(interval.mean - interval.half_width));
      cells.push_back(number_text(interval.mean + interval.half_width));
    }
    cells.push_back(std::to_string(row.seeds));
    cells.push_back(std::to_string(row.failed));
    cells.push_back(row.best ? "1" : "0");
    table.add(std::move(cells));
  }
  return table;
}

Json to_json(const Comparison& comparison) {
  Json rows = Json::array();
  for (const Comparison::Row& row : comparison.rows) {
    Json axes = Json::object(), metrics = Json::object();
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const std::optional<double> number = as_number(row.values[i]);
      axes[comparison.axes[i]] = number ? axis_number(*number) : Json(row.values[i]);
    }
    for (std::size_t i = 0; i < row.metrics.size(); ++i) {
      const MeanInterval& interval = row.metrics[i];
      metrics[comparison.metrics[i]] = {
          {"mean", finite_or_null(interval.mean)},
          {"low", finite_or_null(interval.mean - interval.half_width)},
          {"high", finite_or_null(interval.mean + interval.half_width)},
          {"count", interval.count}};
    }
    rows.push_back({{"axes", std::move(axes)},
                    {"metrics", std::move(metrics)},
                    {"trials", row.trials},
                    {"seeds", row.seeds},
                    {"failed", row.failed},
                    {"best", row.best}});
  }
  Json common = Json::object();
  for (const auto& [axis, value] : comparison.common) common[axis] = value;
  return {{"axes", comparison.axes},
          {"metrics", comparison.metrics},
          {"objective", comparison.objective.empty() ? Json(nullptr) : Json(comparison.objective)},
          {"maximize", comparison.maximise},
          {"rows", std::move(rows)},
          {"common", std::move(common)},
          {"rows_left_out", comparison.rows_left_out},
          {"metrics_left_out", comparison.metrics_left_out}};
}

}  // namespace headway
