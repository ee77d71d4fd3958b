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

constexpr double kGuides[] = {1, 5};  // points below the unpruned model

struct Step {
  double removed = 0;
  double accuracy = 0;  // percent, like low and high
  double low = 0;
  double high = 0;
};

struct Curve {
  std::string strategy;
  std::vector<Step> steps;  // by number of heads removed
};

struct Study {
  std::string name;
  std::vector<Curve> curves;
  double unpruned = 0;  // percent
};

Curve& curve_of(Study& study, const std::string& strategy) {
  for (Curve& curve : study.curves) {
    if (curve.strategy == strategy) return curve;
  }
  return study.curves.emplace_back(Curve{strategy, {}});
}

Study read_study(const NamedTable& named) {
  Study study{named.name, {}, std::nan("")};
  for (std::size_t row = 0; row < named.table.size(); ++row) {
    Step step;
    step.removed = required_number(named, row, "removed");
    step.accuracy = 100 * required_number(named, row, "accuracy");
    const double low = 100 * named.table.number(row, "low");
    const double high = 100 * named.table.number(row, "high");
    step.low = std::isfinite(low) ? low : step.accuracy;
    step.high = std::isfinite(high) ? high : step.accuracy;
    if (step.removed == 0 && std::isnan(study.unpruned)) study.unpruned = step.accuracy;
    curve_of(study, named.table.text(row, "strategy")).steps.push_back(step);
  }
  if (std::isnan(study.unpruned)) {
    throw Error(subject_of(named) + " has no row with removed 0: the unpruned model's accuracy");
  }
  for (Curve& curve : study.curves) {
    std::stable_sort(curve.steps.begin(), curve.steps.end(),
                     [](const Step& a, const Step& b) { return a.removed < b.removed; });
  }
  return study;
}

// How many heads can be removed before accuracy is more than `points` below the unpruned model's.
double removed_within(const Curve& curve, double unpruned, double points) {
  double removed = 0;
  for (const Step& step : curve.steps) {
    if (step.accuracy < unpruned - points - 1e-9) break;
    removed = step.removed;
  }
  return removed;
}

std::string default_title(const std::vector<Study>& studies) {
  if (studies.size() > 1) return "Accuracy against heads removed together";
  const Study& study = studies[0];
  const Curve& first = study.curves[0];
  return fmt::format("Heads that can go together ({}): {} within 1 point, {} within 5 points",
                     first.strategy, number_text(removed_within(first, study.unpruned, 1)),
                     number_text(removed_within(first, study.unpruned, 5)));
}

Range y_range(const std::vector<Study>& studies) {
  double low = 100, high = 0;
  for (const Study& study : studies) {
    low = std::min(low, study.unpruned - kGuides[1]);
    for (const Curve& curve : study.curves) {
      for (const Step& step : curve.steps) {
        low = std::min(low, step.low);
        high = std::max(high, step.high);
      }
    }
  }
  return percent_range(low, high);
}

double most_removed(const std::vector<Study>& studies) {
  double most = 1;
  for (const Study& study : studies) {
    for (const Curve& curve : study.curves) most = std::max(most, curve.steps.back().removed);
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

void draw_study(Page& page, const Study& study, const std::vector<std::string>& strategies) {
  std::vector<std::string> bands, lines;
  for (const Curve& curve : study.curves) {
    std::vector<std::vector<std::string>> rows;
    for (const Step& step : curve.steps) {
      rows.push_back({cell(step.removed), cell(step.accuracy), cell(step.low), cell(step.high)});
    }
    const std::string name =
        study.name.empty() ? curve.strategy : study.name + ", " + curve.strategy;
    const std::size_t index = page.block(name, {"removed", "accuracy", "low", "high"}, rows);
    const auto number = static_cast<std::size_t>(
        std::find(strategies.begin(), strategies.end(), curve.strategy) - strategies.begin());
    bands.push_back(
        fmt::format("'figure.dat' index {} using 1:3:4 with filledcurves fs transparent "
                    "solid 0.2 noborder fc '{}'",
                    index, kLineColours[number % kLineColours.size()]));
    lines.push_back(fmt::format("'figure.dat' index {} using 1:2 {}", index, style_of(number)));
  }
  bands.insert(bands.end(), lines.begin(), lines.end());
  page.add("plot {}", join(bands, ", \\\n     "));
}

// Strategies of all studies, in order of appearance, so that each has the same colour in all
// panels.
std::vector<std::string> strategies_of(const std::vector<Study>& studies) {
  std::vector<std::string> strategies;
  for (const Study& study : studies) {
    for (const Curve& curve : study.curves) {
      if (std::find(strategies.begin(), strategies.end(), curve.strategy) == strategies.end()) {
        strategies.push_back(curve.strategy);
      }
    }
  }
  return strategies;
}

}  // namespace

Figure draw_pruning_curve(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  require_columns(tables, {"strategy", "removed", "accuracy", "low", "high"});
  std::vector<Study> studies;
  for (const NamedTable& table : tables) studies.push_back(read_study(table));

  const bool titled = studies.size() > 1;
  const int width = titled ? 430 * static_cast<int>(studies.size()) + 60 : 760;
  Page page("pruning-curve: accuracy against the number of heads removed together", options,
            {width, titled ? 480 : 470}, default_title(studies));
  const Panel area{75, page.size().width - 70.0, titled ? 65.0 : 45.0, page.size().height - 82.0};
  const std::vector<Panel> panels = side_by_side(area, studies.size(), 95);
  const Range range = y_range(studies);
  const std::vector<std::string> strategies = strategies_of(studies);
  page.add("set grid ytics {}", kGridStyle);
  page.add("set ylabel 'greedy exact match (%)'");
  page.add("unset key");
  page.add("set xrange [-0.3:{}]", number_text(most_removed(studies) + 0.3));
  page.add("set yrange [{}:{}]", number_text(range.low), number_text(range.high));
  for (std::size_t i = 0; i < studies.size(); ++i) {
    page.place(panels[i]);
    page.name_x_axis(panels[i], "heads removed");
    page.add("set title {} offset 0,-0.5", literal(studies[i].name));
    add_guides(page, studies[i], range, area.bottom - area.top);
    draw_study(page, studies[i], strategies);
    page.add("unset ylabel");
  }
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    entries.push_back({style_of(i), strategies[i]});
  }
  page.legend(entries);
  return page.finish();
}

}  // namespace headway
