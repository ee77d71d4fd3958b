#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lib/base/text.h"
#include "lib/sweep/comparison.h"

namespace headway {
namespace {

bool is_number(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

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

std::string or_dash(const std::string& text) {
  return text.empty() ? "–" : text;
}

std::vector<Column> columns_of(const Comparison& comparison) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < comparison.axes.size(); ++i) {
    Column column{printable(comparison.axes[i]), true, {}};
    for (const Comparison::Row& row : comparison.rows) {
      column.right = column.right && is_number(row.values[i]);
      column.cells.push_back(or_dash(printable(row.values[i])));
    }
    columns.push_back(std::move(column));
  }
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    Column column{printable(comparison.metrics[i]), true, {}};
    for (const Comparison::Row& row : comparison.rows) {
      column.cells.push_back(or_dash(interval_text(row.metrics[i])));
    }
    columns.push_back(std::move(column));
  }
  if (comparison.replicated) {
    Column column{"seeds", true, {}};
    for (const Comparison::Row& row : comparison.rows) {
      column.cells.push_back(row.seeds == row.trials
                                 ? std::to_string(row.seeds)
                                 : fmt::format("{} of {}", row.seeds, row.trials));
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

// Notes below the table, one line each; `mark` is how the best row is marked.
std::vector<std::string> notes_for(const Comparison& comparison, const std::string& mark) {
  std::vector<std::string> notes;
  const bool any_best = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                                    [](const Comparison::Row& row) { return row.best; });
  if (any_best) {
    notes.push_back(fmt::format("{} best {} ({})", mark, printable(comparison.objective),
                                comparison.maximise ? "highest" : "lowest"));
  }
  std::size_t failed = 0;
  for (const Comparison::Row& row : comparison.rows) failed += row.failed;
  if (failed > 0) notes.push_back(fmt::format("! {} failed", failed));
  if (comparison.replicated) notes.push_back("± 95 % interval of the mean over seeds");
  if (!comparison.common.empty()) {
    std::vector<std::string> parts;
    for (const auto& [axis, value] : comparison.common) {
      parts.push_back(fmt::format("{}={}", printable(axis), printable(value)));
    }
    notes.push_back("the same everywhere: " + join(parts, ", "));
  }
  const auto more = [&](std::size_t count, const char* what, const char* how) {
    if (count > 0) {
      notes.push_back(fmt::format("{} more {}{}{}", count, what, count == 1 ? "" : "s", how));
    }
  };
  more(comparison.rows_left_out, "row", "");
  more(comparison.metrics_left_out, "metric", ": --metrics all");
  return notes;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  return right ? space + text : text + space;
}

void append_padded_line(std::string line, std::string& text) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + '\n';
}

std::string for_markdown(const std::string& cell) {
  std::string escaped;
  for (const char c : cell) {
    if (c == '|' || c == '*' || c == '<' || c == '`' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

std::string interval_text(const MeanInterval& interval) {
  if (std::isnan(interval.mean)) return "";
  if (std::isnan(interval.half_width)) return four_digits(interval.mean);
  if (interval.half_width == 0) return four_digits(interval.mean) + " ± 0";
  const int decimals = decimals_for(interval.half_width);
  if (decimals > 8 || std::abs(interval.mean) >= 1e15) {
    return fmt::format("{:.4g} ± {:.2g}", interval.mean, interval.half_width);
  }
  const bool zero = std::abs(interval.mean) < 0.5 * std::pow(10, -decimals);  // not "-0.00"
  return fmt::format("{:.{}f} ± {:.{}f}", zero ? 0 : interval.mean, decimals, interval.half_width,
                     decimals);
}

std::string to_text(const Comparison& comparison) {
  if (comparison.rows.empty()) return "no trials\n";
  std::vector<Column> columns = columns_of(comparison);
  const bool any_failed = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                                      [](const Comparison::Row& row) { return row.failed > 0; });
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
      lines[i] += (begins ? "" : after_marks ? " " : "  ") + padded(cell, width, column.right);
    }
  }
  std::string text;
  for (std::string& line : lines) append_padded_line(std::move(line), text);
  const std::vector<std::string> notes = notes_for(comparison, "*");
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
    for (const std::string& line : split(text, '\n'))
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
  for (const std::string& note : notes_for(comparison, "bold:")) {
    text += "\n" + for_markdown(note) + "\n";
  }
  return text;
}

}  // namespace headway
