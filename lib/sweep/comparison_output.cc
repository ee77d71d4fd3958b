#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "lib/base/text.h"
#include "lib/sweep/comparison.h"

namespace headway {
namespace {

std::string four_digits(double value) {
  const double size = std::abs(value);
  if (value == std::floor(value) && size < 1e15) return number_text(value);
  if (size >= 1000 && size < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

// Decimals that show two significant digits: 4 for 0.0042, 2 for 0.0996 (which is 0.10), 0 for 12.
int decimals_for(double half_width) {
  const std::string text = fmt::format("{:.1e}", half_width);
  return std::max(0, 1 - std::stoi(text.substr(text.find('e') + 1)));
}

struct Column {
  std::string heading;
  bool right = false;  // numbers
  std::vector<std::string> cells;
};

std::vector<Column> columns_of(const Comparison& comparison) {
  using Row = Comparison::Row;
  std::vector<Column> columns;
  const auto add = [&](const std::string& heading, bool right, auto text_of) {
    Column& column = columns.emplace_back(Column{printable(heading), right, {}});
    for (const Row& row : comparison.rows) {
      const std::string text = text_of(row);
      column.cells.push_back(text.empty() ? "–" : printable(text));
    }
  };
  for (std::size_t i = 0; i < comparison.axes.size(); ++i) {
    const bool are_numbers = std::ranges::all_of(
        comparison.rows, [&](const Row& row) { return parse_number(row.values[i]).has_value(); });
    add(comparison.axes[i], are_numbers, [&](const Row& row) { return row.values[i]; });
  }
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i)
    add(comparison.metrics[i], true, [&](const Row& row) { return interval_text(row.metrics[i]); });
  if (comparison.replicated)
    add("seeds", true, [](const Row& row) {
      return row.seeds == row.trials ? std::to_string(row.seeds)
                                     : fmt::format("{} of {}", row.seeds, row.trials);
    });
  return columns;
}

// Of successive halving: the best row's amount of the resource, because rows with less of it may
// have better values and still are not the best. "" if all have the same.
std::string amount_of_best(const Comparison& comparison) {
  const auto axis = std::ranges::find(comparison.axes, comparison.resource);
  const auto best = std::ranges::find_if(comparison.rows, &Comparison::Row::best);
  if (axis == comparison.axes.end() || best == comparison.rows.end()) return "";
  const auto place = static_cast<std::size_t>(axis - comparison.axes.begin());
  return fmt::format("{}={}", printable(comparison.resource), printable(best->values[place]));
}

// Notes below the table, one line each; `mark` is how the best row is marked, and it is the best of
// those with `amount`, unless that is empty.
std::vector<std::string> notes_for(const Comparison& comparison, const std::string& mark,
                                   const std::string& amount) {
  std::vector<std::string> notes;
  if (std::ranges::any_of(comparison.rows, &Comparison::Row::best))
    notes.push_back(fmt::format("{} best {} ({}){}", mark, printable(comparison.objective),
                                comparison.maximise ? "highest" : "lowest",
                                amount.empty() ? "" : " of those with " + amount));
  std::size_t failed = 0;
  for (const Comparison::Row& row : comparison.rows) failed += row.failed;
  if (failed > 0) notes.push_back(fmt::format("! {} failed", failed));
  if (comparison.replicated) notes.push_back("± 95 % interval of the mean over seeds");
  const bool any_cut = std::ranges::any_of(comparison.rows, [](const Comparison::Row& row) {
    return std::ranges::any_of(row.metrics, &MeanInterval::is_cut);
  });
  if (any_cut)
    notes.push_back(
        "[low, high]: the same interval, cut where the metric cannot be (a share: 0 to 1; a count: "
        "from 0)");
  if (!comparison.common.empty()) {
    std::vector<std::string> parts;
    for (const auto& [axis, value] : comparison.common)
      parts.push_back(fmt::format("{}={}", printable(axis), printable(value)));
    notes.push_back("the same everywhere: " + join(parts, ", "));
  }
  const std::size_t rows = comparison.rows_left_out, metrics = comparison.metrics_left_out;
  if (rows > 0) notes.push_back(count_of(rows, "more row"));
  if (metrics > 0) notes.push_back(count_of(metrics, "more metric") + ": --metrics all");
  return notes;
}

std::string for_markdown(const std::string& cell) {
  std::string escaped;
  for (const char c : cell) {
    if (std::string_view("|*<`\\").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
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

std::string interval_text(const MeanInterval& interval) {
  if (std::isnan(interval.mean)) return "";
  if (std::isnan(interval.half_width)) return four_digits(interval.mean);
  if (interval.half_width == 0) return four_digits(interval.mean) + " ± 0";
  if (!std::isfinite(interval.half_width))  // diverged: the squares are too large for a double
    return four_digits(interval.mean) + " ± inf";
  const int decimals = decimals_for(interval.half_width);
  if (decimals > 8 || std::abs(interval.mean) >= 1e15)
    return fmt::format("{:.4g} ± {:.2g}", interval.mean, interval.half_width);
  if (interval.is_cut())
    return fmt::format("{:.{}f} [{:.{}f}, {:.{}f}]", interval.mean, decimals, interval.low(),
                       decimals, interval.high(), decimals);
  const bool zero = std::abs(interval.mean) < 0.5 * std::pow(10, -decimals);  // not "-0.00"
  return fmt::format("{:.{}f} ± {:.{}f}", zero ? 0 : interval.mean, decimals, interval.half_width,
                     decimals);
}

std::string to_text(const Comparison& comparison) {
  if (comparison.rows.empty()) return "no trials\n";
  std::vector<Column> columns = columns_of(comparison);
  const bool any_failed = std::ranges::any_of(
      comparison.rows, [](const Comparison::Row& row) { return row.failed > 0; });
  if (!comparison.objective.empty() || any_failed) {
    Column marks;
    for (const Comparison::Row& row : comparison.rows)
      marks.cells.push_back(row.best ? "*" : row.failed > 0 ? "!" : "");
    columns.insert(columns.begin(), std::move(marks));
  }
  std::vector<std::string> lines(comparison.rows.size() + 1);
  for (const Column& column : columns) {
    std::size_t width = std::max<std::size_t>(1, display_width(column.heading));
    for (const std::string& cell : column.cells) width = std::max(width, display_width(cell));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool begins = &column == &columns.front();
      // The mark stands directly before the first column.
      const bool after_marks = &column == &columns.front() + 1 && columns.front().heading.empty();
      const std::string& cell = i == 0 ? column.heading : column.cells[i - 1];
      const std::string space(width - display_width(cell), ' ');
      lines[i] += begins ? "" : after_marks ? " " : "  ";
      lines[i] += column.right ? space + cell : cell + space;
    }
  }
  std::string text;
  for (const std::string& line : lines)
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  const std::vector<std::string> notes = notes_for(comparison, "*", amount_of_best(comparison));
  if (!notes.empty()) text += "\n" + join(notes, "\n") + "\n";
  return text;
}

std::string fitting_text(const Table& table, ComparisonOptions options, std::size_t width,
                         bool may_drop_listed) {
  constexpr std::size_t kMost = 8;
  const std::size_t listed = options.metrics.size();
  options.most_metrics = kMost;
  for (;;) {
    const std::string text = to_text(compare_trials(table, options));
    std::size_t widest = 0;
    // Of the table; the notes below it may wrap.
    for (const std::string& line : split(text.substr(0, text.find("\n\n")), '\n'))
      widest = std::max(widest, display_width(line));
    const std::size_t left = listed == 0 ? options.most_metrics : options.metrics.size();
    if (widest <= width || left == 1 || (listed > 0 && !may_drop_listed)) {
      const std::size_t hidden = listed - options.metrics.size();
      if (hidden == 0) return text;
      return text + fmt::format("{} more column{} not fit here: --csv has all\n", hidden,
                                hidden == 1 ? " does" : "s do");
    }
    if (listed == 0) {
      --options.most_metrics;
    } else {
      options.metrics.pop_back();
    }
  }
}

std::string to_markdown(const Comparison& comparison) {
  if (comparison.rows.empty()) return "no trials\n";
  const std::vector<Column> columns = columns_of(comparison);
  std::string head = "|", rule = "|", body;
  for (const Column& column : columns) {
    head += " " + for_markdown(column.heading) + " |";
    rule += column.right ? " ---: |" : " --- |";
  }
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    body += "|";
    for (const Column& column : columns) {
      const char* bold = comparison.rows[i].best ? "**" : "";
      body += fmt::format(" {0}{1}{0} |", bold, for_markdown(column.cells[i]));
    }
    body += "\n";
  }
  std::string text = head + "\n" + rule + "\n" + body;
  // Without the amount: sweeps that have run keep this text as an artifact, byte for byte.
  for (const std::string& note : notes_for(comparison, "bold:", ""))
    text += "\n" + for_markdown(note) + "\n";
  return text;
}

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
      cells.push_back(number_text(interval.low()));
      cells.push_back(number_text(interval.high()));
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
      const std::optional<double> number = parse_number(row.values[i]);
      axes[comparison.axes[i]] = number ? axis_number(*number) : Json(row.values[i]);
    }
    for (std::size_t i = 0; i < row.metrics.size(); ++i) {
      const MeanInterval& interval = row.metrics[i];
      metrics[comparison.metrics[i]] = {{"mean", finite_or_null(interval.mean)},
                                        {"low", finite_or_null(interval.low())},
                                        {"high", finite_or_null(interval.high())},
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
