#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/axes.h"
#include "lib/figures/checks.h"
#include "lib/figures/kinds.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

constexpr const char* kEveryone = "all";    // the group of all samples
constexpr std::size_t kMostValues = 1'000;  // of a group
constexpr std::size_t kMostCounted = 12;    // values with their numbers of problems
constexpr double kPlace = 58;               // pixels of a value,
constexpr double kWidestPlace = 110;        // of one with a long name,
constexpr double kManyPlaces = 640;         // and of more than kMostCounted together
constexpr double kNarrowestPanel = 150;     // has room for the group's name
constexpr double kWidestRow = 1150;         // of panels
constexpr double kPanelHeight = 257;
constexpr double kPanelGap = 25;
constexpr double kPanelsTop = 45;
constexpr double kPanelsLeft = 80;
constexpr double kPanelsRight = 20;
constexpr double kLegendRoom = 38;
constexpr double kCountLine = 18;  // pixels for the numbers of problems
constexpr double kGroupNameLine = 34;
constexpr double kRowOfPanelsGap = 20;

struct GroupValue {
  std::string name;
  double count = 0;   // of problems, or of tokens
  Interval accuracy;  // percent
};

// A panel of the figure, with its layout in pixels.
struct GroupPanel {
  std::string group;
  std::vector<GroupValue> values;
  double width = 0;
  AxisLabels labels;

  bool has_counts() const { return values.size() <= kMostCounted; }
};

// Panels side by side.
struct PanelRow {
  std::vector<GroupPanel> panels;
  double width = 0;
  double names_room = 0;    // below the axes, for the names of values
  bool has_counts = false;  // if all panels have them

  double counts_at() const { return names_room + 15; }
  double room_below() const { return names_room + (has_counts ? kCountLine : 0) + kGroupNameLine; }
};

struct GroupLayout {
  std::vector<PanelRow> rows;
  double left = kPanelsLeft;
  Size size;
};

const char* share_column(const NamedTable& named) {
  for (const char* column : {"greedy", "accuracy", "token_accuracy"}) {
    if (named.table.has(column)) return column;
  }
  throw Error("{} has no column 'greedy', 'accuracy' or 'token_accuracy'; it has {}",
              subject_of(named), printable(join(named.table.columns(), ", ")));
}

// What a table counts.
const char* counted_in(const NamedTable& named) {
  return share_column(named) == std::string_view("token_accuracy") ? "tokens" : "problems";
}

// Of answers that are sequences, these groups count single tokens and not whole answers.
bool is_of_tokens(const NamedTable& named, const std::string& group) {
  return named.table.has("greedy") && (group == "position" || group == "role");
}

// "longest_chain" is "longest chain".
std::string group_name(const NamedTable& named, const std::string& group) {
  return (is_of_tokens(named, group) ? "single tokens, by " : "") + join(split(group, '_'), " ");
}

// Leaves out values that no sample has.
std::vector<GroupValue> values_of(const NamedTable& named, const std::string& group) {
  std::vector<GroupValue> values;
  for (std::size_t row = 0; row < named.table.size(); ++row) {
    if (named.table.text(row, "group") != group) continue;
    if (required_number(named, row, "count") == 0) continue;
    values.push_back({named.table.text(row, "value"), required_number(named, row, "count"),
                      required_interval(named, row, share_column(named), 100)});
  }
  if (values.size() > kMostValues)
    throw Error(
        "{}: group '{}' has {} values, more than the {} that can be drawn; choose others with "
        "'groups'",
        subject_of(named), printable(group), values.size(), kMostValues);
  return values;
}

std::vector<std::string> chosen_groups(const NamedTable& named, const FigureOptions& options) {
  std::vector<std::string> groups = distinct_texts({named}, "group");
  std::erase(groups, kEveryone);
  for (const std::string& group : options.groups) {
    if (std::ranges::count(groups, group) == 0)
      throw Error("{} has no group '{}'; it has {}{}", subject_of(named), printable(group),
                  printable(join(groups, ", ")), printable(did_you_mean(group, groups)));
  }
  return options.groups.empty() ? groups : options.groups;
}

// All names are shown, but of many only as many as fit.
AxisLabels value_labels(const std::vector<std::string>& names, double place) {
  if (names.size() <= kMostCounted) return lay_out_labels(names, place);
  AxisLabels labels = lay_out_labels(names, std::numeric_limits<double>::infinity());
  const auto step = static_cast<std::size_t>(std::ceil(label_spacing(names) / place));
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i % step != 0) labels.texts[i].clear();
  }
  return labels;
}

GroupPanel lay_out_group(const std::string& group, std::vector<GroupValue> values) {
  GroupPanel panel{group, std::move(values), 0, {}};
  const std::vector<std::string> names = texts_of(panel.values, &GroupValue::name);
  const double count = static_cast<double>(names.size());
  const double place = panel.has_counts() ? std::clamp(label_spacing(names), kPlace, kWidestPlace)
                                          : kManyPlaces / count;
  panel.width = std::max(place * count, kNarrowestPanel);
  panel.labels = value_labels(names, panel.width / count);
  return panel;
}

std::vector<GroupPanel> read_groups(const NamedTable& named, const FigureOptions& options) {
  std::vector<GroupPanel> panels;
  for (const std::string& group : chosen_groups(named, options)) {
    std::vector<GroupValue> values = values_of(named, group);
    if (!values.empty()) panels.push_back(lay_out_group(group, std::move(values)));
  }
  if (panels.empty())
    throw Error("{} has no problems in any group beside '{}': nothing to draw", subject_of(named),
                kEveryone);
  return panels;
}

std::vector<PanelRow> in_rows(std::vector<GroupPanel> panels) {
  std::vector<PanelRow> rows;
  for (GroupPanel& panel : panels) {
    if (rows.empty() || rows.back().width + kPanelGap + panel.width > kWidestRow)
      rows.emplace_back();
    PanelRow& row = rows.back();
    row.width += (row.panels.empty() ? 0 : kPanelGap) + panel.width;
    row.names_room = std::max(row.names_room, panel.labels.room);
    row.has_counts = (row.panels.empty() || row.has_counts) && panel.has_counts();
    row.panels.push_back(std::move(panel));
  }
  return rows;
}

// Slanted names extend to the left of their panel.
double overhang_of(const GroupPanel& panel) {
  return panel.labels.overhang - panel.width / static_cast<double>(panel.values.size()) / 2;
}

GroupLayout lay_out_groups(std::vector<GroupPanel> panels) {
  GroupLayout layout;
  layout.rows = in_rows(std::move(panels));
  double width = 0, height = kPanelsTop + kLegendRoom - kRowOfPanelsGap;
  for (const PanelRow& row : layout.rows) {
    layout.left = std::max(layout.left, overhang_of(row.panels[0]));
    width = std::max(width, row.width);
    height += kPanelHeight + row.room_below() + kRowOfPanelsGap;
  }
  layout.size = {static_cast<int>(layout.left + width + kPanelsRight), static_cast<int>(height)};
  return layout;
}

// 810000 -> "810 000"
std::string thousands(double count) {
  std::string text = fmt::format("{:.0f}", count);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, " ");
  return text;
}

Range y_range(const std::vector<PanelRow>& rows) {
  double low = 100, high = 0;
  for (const PanelRow& row : rows) {
    for (const GroupPanel& panel : row.panels) {
      for (const GroupValue& value : panel.values) {
        low = std::min(low, value.accuracy.low);
        high = std::max(high, value.accuracy.high);
      }
    }
  }
  return percent_range(low, high);
}

const std::string kShareStyle = fmt::format("with yerrorbars pt 7 ps 0.8 lw 1.5 lc '{}'", kBlue);
constexpr const char* kAllStyle = "with lines dt 3 lw 1 lc '#666666'";

// Below the axis, one line each: values, numbers of problems, the group. Positioned in pixels,
// because terminals space the lines of tick labels differently.
void name_values(Page& page, const PanelRow& row, const GroupPanel& panel, const std::string& name,
                 const Panel& area) {
  std::vector<double> places;
  for (std::size_t i = 0; i < panel.values.size(); ++i) {
    places.push_back(static_cast<double>(i + 1));
    if (!row.has_counts) continue;
    page.add("set label '{}' at first {}, screen {:.4f} center font ',10' textcolor '#444444'",
             thousands(panel.values[i].count), i + 1, page.y(area.bottom + row.counts_at()));
  }
  page.add("{}", panel.labels.commands(places));
  page.add("set label {} at graph 0.5, screen {:.4f} center", literal(name),
           page.y(area.bottom + row.room_below() - kGroupNameLine + 24));
}

// Points, not bars: on an axis that does not start at 0, bars would mislead.
void draw_group(Page& page, const GroupPanel& panel, const std::optional<GroupValue>& all) {
  Rows rows;
  for (std::size_t i = 0; i < panel.values.size(); ++i) {
    const Interval& accuracy = panel.values[i].accuracy;
    rows.push_back({cell(i + 1), cell(accuracy.value), cell(accuracy.low), cell(accuracy.high)});
  }
  const std::size_t index = page.block(panel.group, {"place", "correct", "low", "high"}, rows);
  std::vector<std::string> parts;
  if (all) parts.push_back(fmt::format("{} {}", number_text(all->accuracy.value), kAllStyle));
  parts.push_back(fmt::format("'figure.dat' index {} using 1:2:3:4 {}", index, kShareStyle));
  page.add("set xrange [0.4:{}.6]", panel.values.size());
  page.plot(parts);
}

// Whether a panel is of whole answers, with which the share of all can be compared.
bool has_answers(const NamedTable& named, const GroupLayout& layout) {
  return std::ranges::any_of(layout.rows, [&](const PanelRow& row) {
    return std::ranges::any_of(
        row.panels, [&](const GroupPanel& panel) { return !is_of_tokens(named, panel.group); });
  });
}

std::string default_title(const NamedTable& named, const std::optional<GroupValue>& all) {
  if (!all) return "Accuracy by groups";
  return fmt::format("Accuracy by groups: {} % of {} {} right", percent_label(all->accuracy.value),
                     thousands(all->count), counted_in(named));
}

}  // namespace

Figure draw_group_accuracy(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  require_columns(tables, {"group", "value", "count", "low", "high"});
  if (tables.size() != 1)
    throw Error("takes one table, not {}: draw each in a figure of its own", tables.size());
  const NamedTable& named = tables[0];
  const std::vector<GroupValue> overall = values_of(named, kEveryone);
  const std::optional<GroupValue> all = overall.empty() ? std::nullopt : std::optional(overall[0]);
  const GroupLayout layout = lay_out_groups(read_groups(named, options));
  const Range range = y_range(layout.rows);
  std::vector<LegendEntry> entries = {{kShareStyle, "correct, 95 % interval"}};
  if (all && has_answers(named, layout))
    entries.push_back({kAllStyle, fmt::format("all {}", counted_in(named))});

  Page page(
      "group-accuracy: accuracy by groups of problems", options,
      {std::max(layout.size.width, static_cast<int>(legend_width(entries))), layout.size.height},
      default_title(named, all));
  // If the user sets a size, panels change and text does not.
  const double scale_x = (page.size().width - layout.left - kPanelsRight) /
                         (layout.size.width - layout.left - kPanelsRight);
  const double panel_height =
      kPanelHeight + static_cast<double>(page.size().height - layout.size.height) /
                         static_cast<double>(layout.rows.size());
  page.add("set grid ytics {}", kGridStyle);
  page.add("set yrange [{}:{}]", number_text(range.low), number_text(range.high));
  page.add("unset key");
  double top = kPanelsTop;
  for (const PanelRow& row : layout.rows) {
    double left = layout.left;
    const double bottom = top + panel_height;
    page.add("set ylabel {}; set format y '%g'",
             literal(range.low > 0 ? "correct (%), axis cut" : "correct (%)"));
    if (row.has_counts)
      page.add(
          "set label 'count' at screen {:.4f}, screen {:.4f} right font ',10' textcolor "
          "'#444444'",
          page.x(layout.left - 8), page.y(bottom + row.counts_at()));
    for (const GroupPanel& panel : row.panels) {
      const Panel area{left, left + panel.width * scale_x, top, bottom};
      page.place(area);
      name_values(page, row, panel, group_name(named, panel.group), area);
      draw_group(page, panel, is_of_tokens(named, panel.group) ? std::nullopt : all);
      page.add("unset ylabel; unset label; set format y ''");
      left = area.right + kPanelGap * scale_x;
    }
    top = bottom + row.room_below() + kRowOfPanelsGap;
  }
  page.legend(entries);
  return page.finish();
}

}  // namespace headway
