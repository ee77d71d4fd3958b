#include <algorithm>
#include <cctype>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/index.h"
#include "lib/figures/axes.h"
#include "lib/figures/checks.h"
#include "lib/figures/head_label.h"
#include "lib/figures/kinds.h"
#include "lib/figures/line_styles.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

constexpr double kGuides[] = {1, 5};  // points below the unpruned model

struct Study {
  std::string name;
  std::vector<std::string> strategies;
  std::vector<IntervalsByX> curves;  // of each strategy: accuracies (%) by number removed
  double unpruned = std::nan("");    // percent
};

Study read_study(const NamedTable& named) {
  Study study;
  study.name = named.name;
  for (std::size_t row = 0; row < named.table.size(); ++row) {
    const double removed = required_number(named, row, "removed");
    const Interval accuracy = required_interval(named, row, "accuracy", 100);
    if (removed == 0 && std::isnan(study.unpruned)) study.unpruned = accuracy.value;
    const std::size_t curve = place_of(named.table.text(row, "strategy"), study.strategies);
    study.curves.resize(study.strategies.size());
    study.curves[curve].emplace(removed, accuracy);
  }
  if (!std::isnan(study.unpruned)) return study;
  throw Error(subject_of(named) + " has no row with removed 0: the unpruned model's accuracy");
}

// How many components the first strategy can remove so that accuracy is at most `points` below the
// unpruned model's.
double removed_within(const Study& study, double points) {
  double most = 0;
  for (const auto& [removed, accuracy] : study.curves[0]) {
    if (accuracy.value >= study.unpruned - points - 1e-9) most = removed;
  }
  return most;
}

// "heads", or "components" if something else is removed too.
std::string what_is_removed(const std::vector<NamedTable>& tables) {
  for (const NamedTable& named : tables) {
    if (!named.table.has("unit")) continue;
    for (const std::string& unit : column_texts(named, "unit")) {
      if (!unit.empty() && split_head_label(unit).head.empty()) return "components";
    }
  }
  return "heads";
}

std::string default_title(const std::vector<Study>& studies, std::string what) {
  if (studies.size() > 1) return fmt::format("Accuracy against {} removed together", what);
  const Study& study = studies[0];
  what[0] = static_cast<char>(std::toupper(what[0]));
  return fmt::format("{} that can go together ({}): {} within 1 point, {} within 5 points", what,
                     study.strategies[0], number_text(removed_within(study, 1)),
                     number_text(removed_within(study, 5)));
}

Range y_range(const std::vector<Study>& studies) {
  double low = 100, high = 0;
  for (const Study& study : studies) {
    low = std::min(low, study.unpruned - kGuides[1]);
    for (const IntervalsByX& curve : study.curves) {
      for (const auto& [removed, accuracy] : curve) {
        low = std::min(low, accuracy.low);
        high = std::max(high, accuracy.high);
      }
    }
  }
  return percent_range(low, high);
}

double most_removed(const std::vector<Study>& studies) {
  double most = 1;
  for (const Study& study : studies) {
    for (const IntervalsByX& curve : study.curves) most = std::max(most, curve.rbegin()->first);
  }
  return most;
}

// Guide lines, labelled right of the panel; labels are kept apart.
void add_guides(Page& page, const Study& study, const Range& range, double panel_height) {
  const double points_per_pixel = (range.high - range.low) / panel_height;
  double lowest_label = 1000;
  for (std::size_t i = 0; i < std::size(kGuides); ++i) {
    const double at = study.unpruned - kGuides[i];
    const double label_at = std::min(at, lowest_label - 13 * points_per_pixel);
    lowest_label = label_at;
    page.add(
        "set arrow {0} from graph 0, first {1} to graph 1, first {1} nohead dt 3 lw 1 lc '#666666'",
        i + 1, number_text(at));
    page.add(
        "set label {} '{} point{}' at graph 1.01, first {} left font ',10' textcolor '#444444'",
        i + 2, kGuides[i], kGuides[i] == 1 ? "" : "s", number_text(label_at));
  }
}

std::string style_of(std::size_t curve) {
  static constexpr int kPoints[] = {7, 5, 9, 13};
  return fmt::format("with linespoints pt {} ps 0.6 lw 2 lc '{}'",
                     kPoints[curve % std::size(kPoints)],
                     kLineColours[curve % kLineColours.size()]);
}

// A strategy has the same colour in all panels.
void draw_study(Page& page, const Study& study, std::vector<std::string> strategies) {
  std::vector<BandedLine> lines;
  for (std::size_t i = 0; i < study.curves.size(); ++i) {
    const std::string& strategy = study.strategies[i];
    const std::size_t number = place_of(strategy, strategies);
    lines.push_back({study.name.empty() ? strategy : study.name + ", " + strategy, study.curves[i],
                     kLineColours[number % kLineColours.size()], style_of(number)});
  }
  plot_accuracies(page, "removed", lines, 0.2);
}

}  // namespace

Figure draw_pruning_curve(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  require_columns(tables, {"strategy", "removed", "accuracy", "low", "high"});
  std::vector<Study> studies;
  for (const NamedTable& table : tables) studies.push_back(read_study(table));

  const bool titled = studies.size() > 1;
  const int width = titled ? 430 * static_cast<int>(studies.size()) + 60 : 760;
  const std::string what = what_is_removed(tables);
  Page page("pruning-curve: accuracy against the number of components removed together", options,
            {width, titled ? 480 : 470}, default_title(studies, what));
  const Panel area{75, page.size().width - 70.0, titled ? 65.0 : 45.0, page.size().height - 82.0};
  const std::vector<Panel> panels = side_by_side(area, studies.size(), 95);
  const Range range = y_range(studies);
  const std::vector<std::string> strategies = distinct_texts(tables, "strategy");
  page.add("set grid ytics {}", kGridStyle);
  page.add("set ylabel 'accuracy (%)'");
  page.add("unset key");
  page.add("set xrange [-0.3:{}]", number_text(most_removed(studies) + 0.3));
  page.add("set yrange [{}:{}]", number_text(range.low), number_text(range.high));
  for (std::size_t i = 0; i < studies.size(); ++i) {
    page.place(panels[i]);
    page.name_x_axis(panels[i], what + " removed");
    page.add("set title {} offset 0,-0.5", literal(studies[i].name));
    add_guides(page, studies[i], range, area.height());
    draw_study(page, studies[i], strategies);
    page.add("unset ylabel");
  }
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < strategies.size(); ++i)
    entries.push_back({style_of(i), strategies[i]});
  page.legend(entries);
  return page.finish();
}

}  // namespace headway
