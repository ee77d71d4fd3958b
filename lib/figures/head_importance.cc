#include <algorithm>
#include <cctype>
#include <functional>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/checks.h"
#include "lib/figures/kinds.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

struct HeadClass {
  std::string name;
  std::string limits;
  std::string_view colour;
};

const std::vector<HeadClass> kClasses = {{"critical", "> 10 points", kVermilion},
                                         {"important", "1 to 10 points", kSkyBlue},
                                         {"redundant", "≤ 1 point", kGrey}};

std::string style_of(const HeadClass& head_class) {
  return fmt::format("fs solid noborder lc '{}'", head_class.colour);
}

std::vector<LegendEntry> classes_legend() {
  std::vector<LegendEntry> entries;
  for (const HeadClass& c : kClasses) {  // also classes without heads: that is a result too
    entries.push_back({"with boxes " + style_of(c), c.name + " (" + c.limits + ")"});
  }
  return entries;
}

struct Bar {
  std::string label;
  std::string head_class;
  Interval drop;  // in points
};

std::vector<Bar> read_bars(const NamedTable& named) {
  std::vector<Bar> bars;
  for (std::size_t row = 0; row < named.table.size(); ++row) {
    const Bar bar{named.table.text(row, "label"), named.table.text(row, "class"),
                  required_interval(named, row, "drop", 1)};
    if (std::ranges::find(kClasses, bar.head_class, &HeadClass::name) == kClasses.end())
      throw Error("{}, row {}: class '{}' is none of critical, important, redundant",
                  subject_of(named), row + 1, printable(bar.head_class));
    if (std::ranges::find(bars, bar.label, &Bar::label) != bars.end())
      throw Error("{}, row {}: '{}' is there twice", subject_of(named), row + 1,
                  printable(bar.label));
    bars.push_back(bar);
  }
  return bars;
}

std::vector<std::string> labels_by_drop(std::vector<Bar> bars) {
  std::ranges::stable_sort(bars, std::greater(), [](const Bar& bar) { return bar.drop.value; });
  return texts_of(bars, &Bar::label);
}

// The bars in the order of `labels`.
std::vector<Bar> in_order(const std::vector<Bar>& bars, const std::vector<std::string>& labels,
                          const NamedTable& named) {
  std::vector<Bar> ordered;
  for (const std::string& label : labels) {
    const auto found = std::ranges::find(bars, label, &Bar::label);
    if (found == bars.end())
      throw Error("{} has no '{}', which the first table has", subject_of(named), printable(label));
    ordered.push_back(*found);
  }
  if (bars.size() != labels.size())
    throw Error("{} has {} rows, the first table {}", subject_of(named), bars.size(),
                labels.size());
  return ordered;
}

// What all bars of the tables stand for.
struct Component {
  const char* one;
  const char* many;
};

Component component_of(const std::vector<NamedTable>& tables) {
  if (!tables[0].table.has("kind")) return {"head", "heads"};
  require_columns(tables, {"kind"});
  const std::vector<std::string> kinds = distinct_texts(tables, "kind");
  if (kinds.size() > 1) return {"component", "components"};
  if (kinds[0] == "ffn") return {"feed-forward layer", "feed-forward layers"};
  if (kinds[0] == "block") return {"block", "blocks"};
  return {"head", "heads"};
}

std::string default_title(const std::vector<NamedTable>& tables,
                          const std::vector<std::vector<Bar>>& panels) {
  const Component component = component_of(tables);
  std::vector<std::string> counts;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::string name = tables[i].name.empty() ? "" : fmt::format(" ({})", tables[i].name);
    counts.push_back(fmt::format("{} of {} {} critical{}",
                                 std::ranges::count(panels[i], "critical", &Bar::head_class),
                                 panels[i].size(), component.many, panels.size() > 1 ? name : ""));
  }
  const bool named = panels.size() == 1 && !tables[0].name.empty();
  std::string title =
      fmt::format("{} importance{}: {}", component.one,
                  named ? ", " + tables[0].name + " ablation" : "", join(counts, ", "));
  title[0] = static_cast<char>(std::toupper(title[0]));
  return title;
}

// The same for all panels, so that bars are comparable.
std::string x_range(const std::vector<std::vector<Bar>>& panels) {
  double low = 0, high = 1;  // at least one point, so that tiny drops look tiny
  for (const auto& bars : panels) {
    for (const Bar& bar : bars) {
      low = std::min({low, bar.drop.low, bar.drop.value});
      high = std::max({high, bar.drop.high, bar.drop.value});
    }
  }
  const double span = high - low;
  // Leaves room on the right for the numbers.
  return fmt::format("set xrange [{}:{}]", number_text(low < 0 ? low - 0.03 * span : 0),
                     number_text(high + 0.17 * span));
}

void draw_panel(Page& page, const Panel& panel, const std::string& name,
                const std::vector<Bar>& bars) {
  std::vector<std::string> parts;
  for (const HeadClass& head_class : kClasses) {
    Rows rows;
    for (std::size_t i = 0; i < bars.size(); ++i) {
      const Interval& drop = bars[i].drop;
      if (bars[i].head_class != head_class.name) continue;
      rows.push_back({cell(i + 1), cell(drop.value), cell(drop.low), cell(drop.high)});
    }
    if (rows.empty()) continue;
    const std::string block_name = name.empty() ? head_class.name : name + ", " + head_class.name;
    const std::size_t index = page.block(block_name, {"rank", "drop", "low", "high"}, rows);
    parts.push_back(
        fmt::format("'figure.dat' index {} using 2:1:(0):2:($1-0.38):($1+0.38) with boxxyerror {}",
                    index, style_of(head_class)));
    parts.push_back(
        fmt::format("'' index {} using 2:1:3:4 with xerrorbars pt 0 lw 1 lc '#333333'", index));
    parts.push_back(fmt::format(
        "'' index {} using ($4>0?$4:0):1:(sprintf('%.1f',abs($2)<0.05?0:$2)) with labels "
        "left offset 0.6,0 font ',9'",
        index));
  }
  page.place(panel);
  page.add("set title {} offset 0,-0.5", literal(name));
  page.plot(parts);
}

// What drops: an ablation's table has a column for what is left of it.
const char* measure_of(const Table& table) {
  if (table.has("accuracy")) return "accuracy";
  return !table.has("greedy") && table.has("token_accuracy") ? "token accuracy" : "exact match";
}

}  // namespace

Figure draw_head_importance(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  require_columns(tables, {"label", "class", "drop", "low", "high"});
  const std::vector<std::string> labels = labels_by_drop(read_bars(tables[0]));
  std::vector<std::vector<Bar>> bars;
  for (const NamedTable& table : tables) bars.push_back(in_order(read_bars(table), labels, table));

  const double left = 20 + text_width(labels, 11);
  const bool titled = tables.size() > 1;
  const double panels_width = tables.size() == 1 ? 480 : 330.0 * static_cast<double>(tables.size());
  const Size needed{
      static_cast<int>(std::max(left + panels_width + 30, legend_width(classes_legend()))),
      static_cast<int>(labels.size()) * 18 + (titled ? 160 : 140)};
  Page page("head-importance: drop of accuracy without each component of a model", options, needed,
            default_title(tables, bars));
  const Panel area{left, page.size().width - 20.0, titled ? 65.0 : 45.0, page.size().height - 85.0};
  const std::vector<Panel> panels = side_by_side(area, tables.size(), 25);
  page.add("set grid xtics {}", kGridStyle);
  page.name_x_axis(area, fmt::format("drop of {} without the {} (points, 95 % interval)",
                                     measure_of(tables[0].table), component_of(tables).one));
  page.add("unset key");
  page.add("{}", x_range(bars));
  for (std::size_t i = 0; i < tables.size(); ++i) {
    page.add("set yrange [{}:0.4]", number_text(static_cast<double>(labels.size()) + 0.6));
    if (i == 0) {  // names are left of the first panel only
      page.name_rows(labels);
    } else {
      page.add("unset ytics");
    }
    draw_panel(page, panels[i], titled ? tables[i].name : "", bars[i]);
    page.add("unset label 1");
  }
  page.legend(classes_legend());
  return page.finish();
}

}  // namespace headway
