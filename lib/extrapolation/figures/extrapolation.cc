#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/extrapolation/figures/kinds.h"
#include "lib/figures/axes.h"
#include "lib/figures/checks.h"
#include "lib/figures/line_styles.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

constexpr double kChance = 50;  // percent
constexpr double kGood = 99;    // percent; counted in the title
constexpr double kTickFont = 11;
constexpr std::size_t kLongestName = 48;

struct TrainedRange {
  double from = 0;
  double to = 0;
  auto operator<=>(const TrainedRange&) const = default;
};

struct LengthModel {
  std::string name;
  TrainedRange trained;
  std::map<std::string, IntervalsByX> curves;  // by negatives: accuracies (%) by length
};

TrainedRange trained_range(const NamedTable& named, std::size_t row) {
  const TrainedRange range{required_number(named, row, "trained_from"),
                           required_number(named, row, "trained_to")};
  if (range.from > 0 && range.from <= range.to) return range;
  throw Error("{}, row {}: trained_from {} and trained_to {} are no range of lengths",
              subject_of(named), row + 1, number_text(range.from), number_text(range.to));
}

LengthModel read_model(const NamedTable& named) {
  LengthModel model{named.name, trained_range(named, 0), {}};
  for (std::size_t row = 0; row < named.table.size(); ++row) {
    const double length = required_number(named, row, "length");
    if (length <= 0) throw wrong_cell(named, row, "length", "must be above 0, not");
    if (trained_range(named, row) != model.trained)
      throw Error("{}, row {}: other lengths were trained than row 1 says", subject_of(named),
                  row + 1);
    required_fraction(named, row, "accuracy");
    const std::string& negatives = named.table.text(row, "negatives");
    IntervalsByX& curve = model.curves[negatives];
    const bool is_known = curve.contains(length);
    curve.emplace(length, required_interval(named, row, "accuracy", 100));
    if (is_known)
      throw Error("{}, row {}: length {} with negatives '{}' is there twice", subject_of(named),
                  row + 1, number_text(length), printable(negatives));
  }
  return model;
}

std::set<double> lengths_of(const std::vector<LengthModel>& models) {
  std::set<double> lengths;
  for (const LengthModel& model : models) {
    for (const auto& [negatives, curve] : model.curves) {
      for (const auto& [length, point] : curve) lengths.insert(length);
    }
  }
  return lengths;
}

std::set<TrainedRange> trained_ranges(const std::vector<LengthModel>& models) {
  std::set<TrainedRange> ranges;
  for (const LengthModel& model : models) ranges.insert(model.trained);
  return ranges;
}

// A logarithmic axis that covers all measured and trained lengths, with ticks at measured ones.
class LengthAxis {
 public:
  LengthAxis(const std::vector<LengthModel>& models, double pixels)
      : measured_(lengths_of(models)), pixels_(pixels) {
    std::set<double> ends = measured_;
    for (const TrainedRange& range : trained_ranges(models)) ends.insert({range.from, range.to});
    const double shortest = *ends.begin(), longest = *ends.rbegin();
    const double margin = std::max(0.15, 0.03 * std::log2(longest / shortest));
    low_ = std::log2(shortest) - margin;
    high_ = std::log2(longest) + margin;
  }

  // gnuplot commands for the x axis.
  std::string commands() const {
    return fmt::format("set logscale x 2\nset xrange [{}:{}]\nset xtics ({}) font ',{}'",
                       number_text(std::exp2(low_)), number_text(std::exp2(high_)), ticks(),
                       kTickFont);
  }

  // The position from the left, as a share of the axis.
  double share(double length) const { return (std::log2(length) - low_) / (high_ - low_); }

 private:
  // Labelled where there is room, powers of two before others.
  std::string ticks() const {
    constexpr double kGap = 5;
    std::vector<double> at, widths;
    std::vector<int> ranks;
    for (const double length : measured_) {
      const double power = std::log2(length);
      at.push_back(pixels_ * share(length));
      widths.push_back(text_width({number_text(length)}, kTickFont) + kGap);
      ranks.push_back(power == std::floor(power) ? 1 : 2);
    }
    const std::vector<bool> labelled = with_room(at, widths, ranks);
    std::vector<std::string> list;
    for (const double length : measured_)
      list.push_back(tick(labelled[list.size()] ? number_text(length) : "", length));
    return join(list, ", ");
  }

  std::set<double> measured_;
  double pixels_;
  double low_ = 0;  // log2
  double high_ = 0;
};

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
    if (curve == model.curves.end()) continue;
    accuracies.push_back(curve->second.find(length)->second.value);
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
    const auto good =
        std::ranges::count_if(accuracies, [](double accuracy) { return accuracy > kGood; });
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

// Shades each range of trained lengths. Different ranges overlap; the legend says which is whose.
void shade_trained(Page& page, const std::vector<LengthModel>& models, const LengthAxis& axis,
                   const Panel& panel) {
  double from = 1, to = 0;
  for (const TrainedRange& range : trained_ranges(models)) {
    // At least three pixels wide, even for a single length.
    const double middle = (axis.share(range.from) + axis.share(range.to)) / 2;
    const double half =
        std::max((axis.share(range.to) - axis.share(range.from)) / 2, 1.5 / panel.width());
    from = std::min(from, middle - half);
    to = std::max(to, middle + half);
    page.add(
        "set object rectangle from graph {:.4f}, graph 0 to graph {:.4f}, graph 1 "
        "fc '#000000' fs transparent solid 0.08 noborder behind",
        middle - half, middle + half);
  }
  // Inside the panel, even if the range is narrower than the word.
  const double half_word = text_width({"trained"}, 10) / 2 / panel.width();
  page.add(
      "set label 2 'trained' at graph {:.4f}, graph 0.035 center font ',10' textcolor '#444444'",
      std::clamp((from + to) / 2, half_word, 1 - half_word));
}

void mark_chance(Page& page) {
  page.add(
      "set arrow 1 from graph 0, first {0} to graph 1, first {0} nohead dt 2 lw 1 lc '#666666'",
      kChance);
  page.add("set label 3 'chance' at graph 1.01, first {} left font ',10' textcolor '#444444'",
           kChance);
}

void draw_curves(Page& page, const std::vector<LengthModel>& models, const std::string& negatives,
                 const std::vector<LineStyle>& styles) {
  std::vector<BandedLine> lines;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const auto found = models[i].curves.find(negatives);
    if (found == models[i].curves.end()) continue;
    const std::string& name = models[i].name;
    lines.push_back({name.empty() ? negatives : name + ", " + negatives, found->second,
                     styles[i].colour, styles[i].with_points(0.6)});
  }
  plot_accuracies(page, "length", lines, models.size() <= 4 ? 0.2 : 0.1);  // many bands overlap
}

std::vector<LegendEntry> legend_of(const std::vector<LengthModel>& models,
                                   const std::vector<LineStyle>& styles) {
  const bool ranges_differ = trained_ranges(models).size() > 1;
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < models.size(); ++i) {
    std::string title = fit(printable(models[i].name), kLongestName);
    if (ranges_differ)
      title += fmt::format(" (trained {} to {})", number_text(models[i].trained.from),
                           number_text(models[i].trained.to));
    entries.push_back({styles[i].with_points(0.6), title});
  }
  return entries;
}

// Accuracy by length of the sequences. Columns length, negatives (how unsorted sequences were made:
// one panel each), accuracy and its interval low, high (fractions), trained_from, trained_to
// (lengths). Several tables become lines.
Figure draw_extrapolation(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  require_columns(tables,
                  {"length", "negatives", "accuracy", "low", "high", "trained_from", "trained_to"});
  std::vector<LengthModel> models;
  for (const NamedTable& table : tables) models.push_back(read_model(table));
  const std::vector<std::string> negatives = distinct_texts(tables, "negatives");
  const std::vector<LineStyle> styles = line_styles(texts_of(tables, &NamedTable::name));
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
  const LengthAxis axis(models, panels[0].width());
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

}  // namespace

FigureKinds extrapolation_figure_kinds() {
  return {
      {.name = "extrapolation",
       .help = "accuracy against the length of sequences; several models as lines",
       .from_tables = draw_extrapolation,
       .needs = "columns length, negatives, accuracy, low, high, trained_from, trained_to"},
      {.name = "position-heatmap",
       .help = "the position vectors of one encoding",
       .from_tensors = draw_position_heatmap,
       .arrays = "position vectors",
       .needs = "array positions; metadata encoding, trained"},
      {.name = "encoding-comparison",
       .help = "position vectors of encodings, and what they make of pairs of positions",
       .from_tensors = draw_encoding_comparison,
       .arrays = "positional encodings",
       .needs =
           "arrays gram and, if there are vectors, positions; metadata encoding, trained, gram"}};
}

}  // namespace headway
