#include <algorithm>
#include <optional>
#include <set>

#include "lib/base/text.h"
#include "lib/extrapolation/figures/kinds.h"
#include "lib/extrapolation/figures/length_axis.h"
#include "lib/extrapolation/figures/length_models.h"
#include "lib/figures/axes.h"
#include "lib/figures/checks.h"
#include "lib/figures/line_styles.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

constexpr double kChance = 50;  // percent
constexpr double kGood = 99;    // percent; counted in the title
constexpr std::size_t kLongestName = 48;

// The longest length that all curves have.
std::optional<double> longest_common_length(const std::vector<LengthModel>& models) {
  const std::set<double> lengths = lengths_of(models);
  const auto everywhere = [&](double length) {
    for (const LengthModel& model : models) {
      for (const auto& [negatives, curve] : model.curves) {
        if (!curve.contains(length)) return false;
      }
    }
    return true;
  };
  const auto found = std::find_if(lengths.rbegin(), lengths.rend(), everywhere);
  return found == lengths.rend() ? std::nullopt : std::optional(*found);
}

// Accuracies in percent of the models that have this length in this panel.
std::vector<double> accuracies_at(const std::vector<LengthModel>& models,
                                  const std::string& negatives, double length) {
  std::vector<double> accuracies;
  for (const LengthModel& model : models) {
    const auto curve = model.curves.find(negatives);
    if (curve != model.curves.end()) accuracies.push_back(curve->second.at(length).accuracy);
  }
  return accuracies;
}

std::string default_title(const std::vector<LengthModel>& models,
                          const std::vector<std::string>& panels) {
  const std::optional<double> length = longest_common_length(models);
  if (!length) return fmt::format("Length extrapolation of {} models", models.size());
  std::vector<std::string> parts;
  for (const std::string& negatives : panels) {
    const std::vector<double> accuracies = accuracies_at(models, negatives, *length);
    const bool is_first = parts.empty();
    const auto good = std::count_if(accuracies.begin(), accuracies.end(),
                                    [](double accuracy) { return accuracy > kGood; });
    std::string part = models.size() == 1
                           ? percent_label(accuracies[0]) + " %"
                           : fmt::format("{} of {}{}", good, accuracies.size(),
                                         is_first ? fmt::format(" models above {} %", kGood) : "");
    if (is_first) part += fmt::format(" at length {}", number_text(*length));
    if (!negatives.empty()) part += fmt::format(" ({})", negatives);
    parts.push_back(std::move(part));
  }
  return "Length extrapolation: " + join(parts, ", ");
}

Range y_range(const std::vector<LengthModel>& models) {
  double lowest = 100;
  for (const LengthModel& model : models) {
    for (const auto& [negatives, curve] : model.curves) {
      for (const auto& [length, point] : curve) lowest = std::min(lowest, point.low);
    }
  }
  return percent_range_around_chance(lowest);
}

// Covers all measured and trained lengths.
LengthAxis length_axis(const std::vector<LengthModel>& models, const Panel& panel) {
  std::set<double> ends = lengths_of(models);
  const std::set<double> measured = ends;
  for (const TrainedRange& range : trained_ranges(models)) ends.insert({range.from, range.to});
  return {measured, *ends.begin(), *ends.rbegin(), panel.right - panel.left};
}

// Shades each range of trained lengths. Different ranges overlap; the legend says which is whose.
void shade_trained(Page& page, const std::vector<LengthModel>& models, const LengthAxis& axis,
                   const Panel& panel) {
  const std::set<TrainedRange> ranges = trained_ranges(models);
  double from = 1, to = 0;
  for (const TrainedRange& range : ranges) {
    // At least three pixels wide, even for a single length.
    const double middle = (axis.share(range.from) + axis.share(range.to)) / 2;
    const double half = std::max((axis.share(range.to) - axis.share(range.from)) / 2,
                                 1.5 / (panel.right - panel.left));
    from = std::min(from, middle - half);
    to = std::max(to, middle + half);
    page.add(
        "set object rectangle from graph {:.4f}, graph 0 to graph {:.4f}, graph 1 "
        "fc '#000000' fs transparent solid 0.08 noborder behind",
        middle - half, middle + half);
  }
  // Inside the panel, even if the range is narrower than the word.
  const double half_word = text_width({"trained"}, 10) / 2 / (panel.right - panel.left);
  page.add(
      "set label 2 'trained' at graph {:.4f}, graph 0.035 center font ',10' "
      "textcolor '#444444'",
      std::clamp((from + to) / 2, half_word, 1 - half_word));
}

void mark_chance(Page& page) {
  page.add(
      "set arrow 1 from graph 0, first {0} to graph 1, first {0} nohead dt 2 lw 1 "
      "lc '#666666'",
      kChance);
  page.add("set label 3 'chance' at graph 1.01, first {} left font ',10' textcolor '#444444'",
           kChance);
}

std::string line_style(const LineStyle& style) {
  return fmt::format("with linespoints pt {} ps 0.6 lw 1.8 dt {} lc '{}'", style.point, style.dash,
                     style.colour);
}

// Draws bands first, so that they cover no lines.
void draw_curves(Page& page, const std::vector<LengthModel>& models, const std::string& negatives,
                 const std::vector<LineStyle>& styles) {
  const double opacity = models.size() <= 4 ? 0.2 : 0.1;  // many bands overlap
  std::vector<std::string> bands, lines;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const auto found = models[i].curves.find(negatives);
    if (found == models[i].curves.end()) continue;
    std::vector<std::vector<std::string>> rows;
    for (const auto& [length, point] : found->second) {
      rows.push_back({cell(length), cell(point.accuracy), cell(point.low), cell(point.high)});
    }
    const std::string name = models[i].name.empty() ? negatives : models[i].name + ", " + negatives;
    const std::size_t index = page.block(name, {"length", "accuracy", "low", "high"}, rows);
    bands.push_back(
        fmt::format("'figure.dat' index {} using 1:3:4 with filledcurves fs transparent "
                    "solid {} noborder fc '{}'",
                    index, opacity, styles[i].colour));
    lines.push_back(
        fmt::format("'figure.dat' index {} using 1:2 {}", index, line_style(styles[i])));
  }
  bands.insert(bands.end(), lines.begin(), lines.end());
  page.add("plot {}", join(bands, ", \\\n     "));
}

std::vector<LegendEntry> legend_of(const std::vector<LengthModel>& models,
                                   const std::vector<LineStyle>& styles) {
  const bool ranges_differ = trained_ranges(models).size() > 1;
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < models.size(); ++i) {
    std::string title = fit(printable(models[i].name), kLongestName);
    if (ranges_differ) {
      title += fmt::format(" (trained {} to {})", number_text(models[i].trained.from),
                           number_text(models[i].trained.to));
    }
    entries.push_back({line_style(styles[i]), title});
  }
  return entries;
}

}  // namespace

Figure draw_extrapolation(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  require_columns(tables,
                  {"length", "negatives", "accuracy", "low", "high", "trained_from", "trained_to"});
  std::vector<LengthModel> models;
  std::vector<std::string> names;
  for (const NamedTable& table : tables) {
    models.push_back(read_length_model(table));
    names.push_back(table.name);
  }
  const std::vector<std::string> negatives = negatives_of(tables);
  const std::vector<LineStyle> styles = line_styles(names);
  const bool alone = models.size() == 1 && models[0].name.empty();
  const std::vector<LegendEntry> entries =
      alone ? std::vector<LegendEntry>{} : legend_of(models, styles);

  const int width = negatives.size() == 1 ? 720 : 470 * static_cast<int>(negatives.size()) + 60;
  const int asked_width = size_or(options.size, {width, 0}).width;
  const std::size_t lines = legend_lines(entries, asked_width);
  const double foot = alone ? 55 : 82 + kLegendLine * static_cast<double>(lines - 1);
  Page page("extrapolation: accuracy against the length of sequences", options,
            {width, static_cast<int>(400 + foot)}, default_title(models, negatives));
  const Panel area{70, page.size().width - 60.0, 65, page.size().height - foot};
  const std::vector<Panel> panels = side_by_side(area, negatives.size(), 85);
  const LengthAxis axis = length_axis(models, panels[0]);
  const Range range = y_range(models);
  page.add("set grid ytics {}", kGridStyle);
  page.add("set ylabel 'accuracy (%), 95 % interval'");
  page.add("unset key");
  page.add("{}", axis.commands());
  page.add("set yrange [{}:{}]; set ytics 10", number_text(range.low), number_text(range.high));
  for (std::size_t i = 0; i < negatives.size(); ++i) {
    page.place(panels[i]);
    page.name_x_axis(panels[i], "length");
    page.add("set title {} offset 0,-0.5", literal(negatives[i]));
    page.add("unset object");
    shade_trained(page, models, axis, panels[i]);
    mark_chance(page);
    draw_curves(page, models, negatives[i], styles);
    page.add("unset ylabel");
  }
  if (!alone) page.legend(entries, lines);
  return page.finish();
}

}  // namespace headway
