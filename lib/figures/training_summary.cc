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

// Sequence models have greedy exact match instead of accuracy.
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
  throw Error(fmt::format("{}: column '{}' has no number in any row", subject_of(log), column));
}

double total_seconds(const NamedTable& timing) {
  require_columns(timing, {"seconds"});
  double total = 0;
  for (std::size_t row = 0; row < timing.table.size(); ++row) {
    const double seconds = required_number(timing, row, "seconds");
    if (seconds < 0) {
      throw Error(fmt::format("{}, row {}: column 'seconds' must not be below 0, but is '{}'",
                              subject_of(timing), row + 1,
                              printable(timing.table.text(row, "seconds"))));
    }
    total += seconds;
  }
  return total;
}

Training* find(std::vector<Training>& trainings, const std::string& name) {
  const auto found = std::find_if(trainings.begin(), trainings.end(),
                                  [&](const Training& training) { return training.name == name; });
  return found == trainings.end() ? nullptr : &*found;
}

std::vector<Training> read_trainings(const std::vector<NamedTable>& tables) {
  if (tables.empty()) throw Error("no table: nothing to draw");
  std::vector<Training> trainings;
  for (const NamedTable& table : tables) {
    if (is_timing(table)) continue;
    if (find(trainings, table.name)) throw Error(subject_of(table) + " is there twice");
    trainings.push_back(read_log(table));
  }
  for (const NamedTable& table : tables) {
    if (!is_timing(table)) continue;
    Training* training = find(trainings, table.name);
    if (!training) {
      throw Error(subject_of(table) + " has seconds of a training whose log is not there");
    }
    if (!std::isnan(training->seconds)) {
      throw Error(subject_of(table) + " is there twice, with seconds");
    }
    training->seconds = total_seconds(table);
  }
  return trainings;
}

struct Unit {
  std::string name;
  double seconds = 1;
};

Unit unit_for(double seconds) {
  if (seconds < 300) return {"seconds", 1};
  if (seconds < 3 * 3600) return {"minutes", 60};
  return {"hours", 3600};
}

// One panel with a bar for each training. Bars start at 0 and have numbers beside them, because
// accuracies near 100 % look alike.
struct Bars {
  std::string title;
  std::string column;  // of the data block
  std::string_view colour;
  std::vector<double> lengths;  // NaN: unknown
  std::vector<std::string> texts;
  double axis_end = 0;   // 0: chosen by the longest bar
  double tick_step = 0;  // 0: chosen by gnuplot
};

Bars accuracy_bars(const std::vector<Training>& trainings) {
  Bars bars{"best validation accuracy (%)", "accuracy", kBlue, {}, {}, 100, 25};
  for (const Training& training : trainings) {
    bars.lengths.push_back(training.accuracy);
    bars.texts.push_back(percent_label(training.accuracy));
  }
  return bars;
}

Bars loss_bars(const std::vector<Training>& trainings) {
  Bars bars{"validation loss at that epoch", "val_loss", kVermilion, {}, {}, 0, 0};
  for (const Training& training : trainings) {
    const std::string loss =
        std::isfinite(training.loss) ? fmt::format("{:.3g}", training.loss) : "–";
    bars.lengths.push_back(training.loss);
    bars.texts.push_back(fmt::format("{} (epoch {})", loss, number_text(training.epoch)));
  }
  return bars;
}

Bars time_bars(const std::vector<Training>& trainings) {
  double longest = 0;
  for (const Training& training : trainings) longest = std::fmax(longest, training.seconds);
  const Unit unit = unit_for(longest);
  Bars bars{fmt::format("training time ({})", unit.name), unit.name, kGreen, {}, {}, 0, 0};
  for (const Training& training : trainings) {
    bars.lengths.push_back(training.seconds / unit.seconds);
    bars.texts.push_back(std::isfinite(training.seconds) ? format_seconds(training.seconds) : "–");
  }
  return bars;
}

bool has_times(const std::vector<Training>& trainings) {
  return std::any_of(trainings.begin(), trainings.end(),
                     [](const Training& training) { return std::isfinite(training.seconds); });
}

std::string default_title(const std::vector<Training>& trainings) {
  double lowest = 100, highest = 0, seconds = 0;
  for (const Training& training : trainings) {
    lowest = std::min(lowest, training.accuracy);
    highest = std::max(highest, training.accuracy);
    if (std::isfinite(training.seconds)) seconds += training.seconds;
  }
  const std::string low = percent_label(lowest), high = percent_label(highest);
  const bool alone = trainings.size() == 1;
  return fmt::format("{}: best validation accuracy {} %{}",
                     alone ? "Training" : fmt::format("{} trainings", trainings.size()),
                     low == high ? low : low + " to " + high,
                     has_times(trainings)
                         ? fmt::format(", {}{}", format_seconds(seconds), alone ? "" : " in all")
                         : "");
}

void draw_bars(Page& page, const Panel& panel, const Bars& bars) {
  std::vector<std::vector<std::string>> rows;
  double longest = 0;
  for (std::size_t i = 0; i < bars.lengths.size(); ++i) {
    const double length = std::isfinite(bars.lengths[i]) ? bars.lengths[i] : 0;
    longest = std::max(longest, length);
    rows.push_back({cell(i + 1), cell(length), cell(bars.texts[i])});
  }
  const double end = bars.axis_end > 0 ? bars.axis_end : longest > 0 ? longest : 1;
  // Leaves room for the longest text after the longest bar.
  const double room = (text_width(bars.texts, 10) + 12) / (panel.right - panel.left);
  const std::size_t index = page.block(bars.title, {"row", bars.column, "text"}, rows);
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
  std::vector<Bars> bars = {accuracy_bars(trainings), loss_bars(trainings)};
  if (has_times(trainings)) bars.push_back(time_bars(trainings));

  std::vector<std::string> names, ticks;
  for (std::size_t i = 0; i < trainings.size(); ++i) {
    names.push_back(fit(printable(trainings[i].name), kLongestName));
    ticks.push_back(tick(names.back(), i + 1));
  }
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
  page.add("set ytics ({}) scale 0 font ',11'", join(ticks, ", \\\n  "));
  for (std::size_t i = 0; i < bars.size(); ++i) {
    draw_bars(page, panels[i], bars[i]);
    page.add("unset ytics");
  }
  return page.finish();
}

}  // namespace headway
