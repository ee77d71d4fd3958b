#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/axes.h"
#include "lib/figures/checks.h"
#include "lib/figures/kinds.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

constexpr std::size_t kLongestName = 48;

struct Training {
  std::string name;
  double epoch = 0;               // the best epoch
  double accuracy = 0;            // at that epoch, in percent
  double loss = 0;                // validation loss at that epoch; may be NaN
  double seconds = std::nan("");  // of all epochs; NaN: no timing
};

bool is_timing(const NamedTable& table) {
  return table.table.has("seconds");
}

// Sequence models have exact match instead of accuracy.
std::string accuracy_column(const NamedTable& log) {
  return !log.table.has("accuracy") && log.table.has("greedy") ? "greedy" : "accuracy";
}

// By accuracy; ties by the lowest loss.
bool is_better(const Training& a, const Training& b) {
  if (a.accuracy != b.accuracy) return a.accuracy > b.accuracy;
  return a.loss < b.loss || (std::isnan(b.loss) && !std::isnan(a.loss));
}

Training read_log(const NamedTable& log) {
  const std::string column = accuracy_column(log);
  require_columns(log, {"epoch", "val_loss", column});
  Training best;
  bool found = false;
  for (std::size_t row = 0; row < log.table.size(); ++row) {
    if (std::isnan(optional_number(log, row, column))) continue;
    Training epoch;
    epoch.name = log.name;
    epoch.epoch = required_number(log, row, "epoch");
    epoch.accuracy = 100 * required_fraction(log, row, column);
    epoch.loss = optional_number(log, row, "val_loss");
    if (!found || is_better(epoch, best)) best = epoch;
    found = true;
  }
  if (found) return best;
  throw Error("{}: column '{}' has no number in any row", subject_of(log), column);
}

double total_seconds(const NamedTable& timing) {
  require_columns(timing, {"seconds"});
  double total = 0;
  for (std::size_t row = 0; row < timing.table.size(); ++row) {
    const double seconds = required_number(timing, row, "seconds");
    if (seconds < 0) throw wrong_cell(timing, row, "seconds", "must not be below 0, but is");
    total += seconds;
  }
  return total;
}

std::vector<Training> read_trainings(const std::vector<NamedTable>& tables) {
  if (tables.empty()) throw Error("no table: nothing to draw");
  std::vector<Training> trainings;
  const auto find = [&](const NamedTable& table) {
    return std::ranges::find(trainings, table.name, &Training::name);
  };
  for (const NamedTable& table : tables) {
    if (is_timing(table)) continue;
    if (find(table) != trainings.end()) throw Error(subject_of(table) + " is there twice");
    trainings.push_back(read_log(table));
  }
  for (const NamedTable& table : tables) {
    if (!is_timing(table)) continue;
    const auto training = find(table);
    if (training == trainings.end())
      throw Error(subject_of(table) + " has seconds of a training whose log is not there");
    if (!std::isnan(training->seconds))
      throw Error(subject_of(table) + " is there twice, with seconds");
    training->seconds = total_seconds(table);
  }
  return trainings;
}

// One panel with a bar for each training. Bars start at 0 and have numbers beside them, because
// accuracies near 100 % look alike.
struct Bars {
  std::string title;
  std::string column;  // of the data block
  std::string_view colour;
  double axis_end = 0;   // 0: chosen by the longest bar
  double tick_step = 0;  // 0: chosen by gnuplot
  Rows rows = {};
  std::vector<std::string> texts = {};
  double longest = 0;

  // NaN: unknown.
  void add(double length, const std::string& text) {
    length = std::isfinite(length) ? length : 0;
    longest = std::max(longest, length);
    rows.push_back({cell(rows.size() + 1), cell(length), cell(text)});
    texts.push_back(text);
  }
};

bool has_times(const std::vector<Training>& trainings) {
  return std::ranges::any_of(
      trainings, [](const Training& training) { return std::isfinite(training.seconds); });
}

std::vector<Bars> bars_of(const std::vector<Training>& trainings) {
  double longest = 0;
  for (const Training& training : trainings) longest = std::fmax(longest, training.seconds);
  const auto [unit, seconds] = longest < 300        ? std::pair("seconds", 1)
                               : longest < 3 * 3600 ? std::pair("minutes", 60)
                                                    : std::pair("hours", 3600);
  Bars accuracies{"best validation accuracy (%)", "accuracy", kBlue, 100, 25};
  Bars losses{"validation loss at that epoch", "val_loss", kVermilion};
  Bars times{fmt::format("training time ({})", unit), unit, kGreen};
  for (const Training& training : trainings) {
    const bool has_loss = std::isfinite(training.loss), has_time = std::isfinite(training.seconds);
    accuracies.add(training.accuracy, percent_label(training.accuracy));
    losses.add(training.loss,
               fmt::format("{} (epoch {})", has_loss ? fmt::format("{:.3g}", training.loss) : "–",
                           number_text(training.epoch)));
    times.add(training.seconds / seconds, has_time ? format_seconds(training.seconds) : "–");
  }
  if (!has_times(trainings)) return {accuracies, losses};
  return {accuracies, losses, times};
}

std::string default_title(const std::vector<Training>& trainings) {
  std::vector<double> accuracies;
  double seconds = 0;
  for (const Training& training : trainings) {
    accuracies.push_back(training.accuracy);
    if (std::isfinite(training.seconds)) seconds += training.seconds;
  }
  const bool alone = trainings.size() == 1;
  return fmt::format(
      "{}: best validation accuracy {} %{}",
      alone ? "Training" : fmt::format("{} trainings", trainings.size()), percent_span(accuracies),
      has_times(trainings) ? fmt::format(", {}{}", format_seconds(seconds), alone ? "" : " in all")
                           : "");
}

void draw_bars(Page& page, const Panel& panel, const Bars& bars) {
  const double longest = bars.longest > 0 ? bars.longest : 1;
  const double end = bars.axis_end > 0 ? bars.axis_end : longest;
  // Leaves room for the longest text after the longest bar.
  const double room = (text_width(bars.texts, 10) + 12) / panel.width();
  const std::size_t index = page.block(bars.title, {"row", bars.column, "text"}, bars.rows);
  page.place(panel);
  page.add("set title {} offset 0,-0.5 font ',12'", literal(bars.title));
  page.add("set xtics {}",
           bars.tick_step > 0 ? fmt::format("0, {}, {}", bars.tick_step, end) : "autofreq");
  page.add("set xrange [0:{}]", number_text(end / (1 - std::min(room, 0.7))));
  page.add(
      "plot 'figure.dat' index {0} using 2:1:(0):2:($1-0.36):($1+0.36) with boxxyerror "
      "fs solid noborder lc '{1}', \\\n     "
      "'' index {0} using 2:1:3 with labels left offset 0.6,0 font ',10'",
      index, bars.colour);
}

}  // namespace

Figure draw_training_summary(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  const std::vector<Training> trainings = read_trainings(tables);
  const std::vector<Bars> bars = bars_of(trainings);
  const std::vector<std::string> names =
      cut_labels(texts_of(trainings, &Training::name), kLongestName);
  const double left = 22 + text_width(names, 11);
  const double count = static_cast<double>(bars.size());
  Page page("training-summary: the best epoch of each training, and its time", options,
            {static_cast<int>(left + count * 270 + 20), static_cast<int>(names.size()) * 20 + 110},
            default_title(trainings));
  const Panel area{left, page.size().width - 20.0, 66, page.size().height - 36.0};
  const std::vector<Panel> panels = side_by_side(area, bars.size(), 28);
  page.add("set grid xtics {}", kGridStyle);
  page.add("unset key; set xtics font ',10'");
  page.add("set yrange [{}:0.4]", number_text(static_cast<double>(names.size()) + 0.6));
  page.name_rows(names);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    draw_bars(page, panels[i], bars[i]);
    page.add("unset ytics");
  }
  return page.finish();
}

}  // namespace headway
