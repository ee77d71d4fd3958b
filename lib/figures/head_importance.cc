#include <algorithm>
#include <cmath>
#include <map>
#include <set>

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
  double drop = 0;  // in points
  double low = 0;
  double high = 0;
};

double number_or(const NamedTable& table, std::size_t row, std::string_view column, double other) {
  const double value = table.table.number(row, column);
  return std::isfinite(value) ? value : other;
}

std::vector<Bar> read_bars(const NamedTable& named) {
  std::vector<Bar> bars;
  std::set<std::string> labels;
  for (std::size_t row = 0; row < named.table.size(); ++row) {
    Bar bar;
    bar.label = named.table.text(row, "label");
    bar.head_class = named.table.text(row, "class");
    bar.drop = required_number(named, row, "drop");
    bar.low = number_or(named, row, "low", bar.drop);
    bar.high = number_or(named, row, "high", bar.drop);
    const bool known = std::any_of(kClasses.begin(), kClasses.end(),
                                   [&](const HeadClass& c) { return c.name == bar.head_class; });
    if (!known) {
      throw Error(fmt::format("{}, row {}: class '{}' is none of critical, important, redundant",
                              subject_of(named), row + 1, printable(bar.head_class)));
    }
    if (!labels.insert(bar.label).second) {
      throw Error(fmt::format("{}, row {}: head '{}' is there twice", subject_of(named), row + 1,
                              printable(bar.label)));
    }
    bars.push_back(std::move(bar));
  }
  return bars;
}

std::vector<std::string> heads_by_drop(std::vector<Bar> bars) {
  std::stable_sort(bars.begin(), bars.end(),
                   [](const Bar& a, const Bar& b) { return a.drop > b.drop; });
  std::vector<std::string> heads;
  for (const Bar& bar : bars) heads.push_back(bar.label);
  return heads;
}

// The bars in the order of `heads`.
std::vector<Bar> in_order(const std::vector<Bar>& bars, const std::vector<std::string>& heads,
                          const NamedTable& named) {
  std::map<std::string, Bar> by_label;
  for (const Bar& bar : bars) by_label[bar.label] = bar;
  std::vector<Bar> ordered;
  for (const std::string& head : heads) {
    const auto found = by_label.find(head);
    if (found == by_label.end()) {
      throw Error(fmt::format("{} has no head '{}', which the first table has", subject_of(named),
                              printable(head)));
    }
    ordered.push_back(found->second);
  }
  if (bars.size() != heads.size()) {
    throw Error(fmt::format("{} has {} heads, the first table {}", subject_of(named), bars.size(),
                            heads.size()));
  }
  return ordered;
}

std::size_t count_critical(const std::vector<Bar>& bars) {
  return static_cast<std::size_t>(std::count_if(
      bars.begin(), bars.end(), [](const Bar& bar) { return bar.head_class == "critical"; }));
}

std::string default_title(const std::vector<NamedTable>& tables,
                          const std::vector<std::vector<Bar>>& panels) {
  std::vector<std::string> counts;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::string name = tables[i].name.empty() ? "" : fmt::format(" ({})", tables[i].name);
    counts.push_back(fmt::format("{} of {} heads critical{}", count_critical(panels[i]),
                                 panels[i].size(), panels.size() > 1 ? name : ""));
  }
  const bool named = panels.size() == 1 && !tables[0].name.empty();
  return fmt::format("Head importance{}: {}", named ? ", " + tables[0].name + " ablation" : "",
                     join(counts, ", "));
}

// The same for all panels, so that bars are comparable.
std::string x_range(const std::vector<std::vector<Bar>>& panels) {
  double low = 0, high = 1;  // at least one point, so that tiny drops look tiny
  for (const auto& bars : panels) {
    for (const Bar& bar : bars) {
      low = std::min({low, bar.low, bar.drop});
      high = std::max({high, bar.high, bar.drop});
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
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < bars.size(); ++i) {
      const Bar& bar = bars[i];
      if (bar.head_class != head_class.name) continue;
      rows.push_back({cell(i + 1), cell(bar.drop), cell(bar.low), cell(bar.high)});
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
  page.add("plot {}", join(parts, ", \\\n     "));
}

// Writes the heads' names once, left of the first panel.
void name_heads(Page& page, const std::vector<std::string>& heads, bool is_first) {
  page.add("set yrange [{}:0.4]", number_text(static_cast<double>(heads.size()) + 0.6));
  if (is_first) {
    std::vector<std::string> ticks;
    for (std::size_t i = 0; i < heads.size(); ++i) ticks.push_back(tick(heads[i], i + 1));
    page.add("set ytics ({}) scale 0 font ',11'", join(ticks, ", \\\n  "));
  } else {
    page.add("unset ytics");
  }
}

}  // namespace

Figure draw_head_importance(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  require_columns(tables, {"label", "class", "drop", "low", "high"});
  const std::vector<std::string> heads = heads_by_drop(read_bars(tables[0]));
  std::vector<std::vector<Bar>> bars;
  for (const NamedTable& table : tables) bars.push_back(in_order(read_bars(table), heads, table));

  const double left = 20 + text_width(heads, 11);
  const bool titled = tables.size() > 1;
  const double panels_width = tables.size() == 1 ? 480 : 330.0 * static_cast<double>(tables.size());
  const Size needed{
      static_cast<int>(std::max(left + panels_width + 30, legend_width(classes_legend()))),
      static_cast<int>(heads.size()) * 18 + (titled ? 160 : 140)};
  Page page("head-importance: drop of accuracy without each head", options, needed,
            default_title(tables, bars));
  const Panel area{left, page.size().width - 20.0, titled ? 65.0 : 45.0, page.size().height - 85.0};
  const std::vector<Panel> panels = side_by_side(area, tables.size(), 25);
  page.add("set grid xtics {}", kGridStyle);
  page.name_x_axis(area, "drop of exact match without the head (points, 95 % interval)");
  page.add("unset key");
  page.add("{}", x_range(bars));
  for (std::size_t i = 0; i < tables.size(); ++i) {
    name_heads(page, heads, i == 0);
    draw_panel(page, panels[i], titled ? tables[i].name : "", bars[i]);
    page.add("unset label 1");
  }
  page.legend(classes_legend());
  return page.finish();
}

}  // namespace headway
