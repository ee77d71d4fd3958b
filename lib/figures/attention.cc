#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/checks.h"
#include "lib/figures/heat_map.h"
#include "lib/figures/kinds.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"
#include "lib/numerics/attention_maps.h"

namespace headway {
namespace {

constexpr double kTokenSize = 17;  // pixels per token on an axis
constexpr double kTokenFont = 9;
constexpr double kLeft = 150;  // room for module names and query tokens
constexpr double kRight = 75;  // room for the colour bar
constexpr double kTop = 62;
constexpr double kBottom = 62;
constexpr double kPanelGapX = 38;  // room for the next panel's query tokens
constexpr double kPanelGapY = 44;  // room for the key tokens and the next panel's name

struct Module {
  std::string label;                  // "Decoder Cross L0"
  std::vector<std::int32_t> queries;  // tokens, [T]
  std::vector<std::int32_t> keys;     // tokens, [S]
  std::vector<float> weights;         // of one problem, [H, T, S]
  std::vector<std::int64_t> heads;    // original head numbers, [H]
};

Module read_module(const AttentionMaps& maps, const AttentionMaps::Site& site,
                   std::size_t problem) {
  Module module{site.label(),
                maps.tokens(site.stack->queries, problem),
                maps.tokens(site.stack->keys, problem),
                maps.weights(site, problem),
                {}};
  for (const Json& number : maps.heads_of(site)) {
    if (number.is_number_integer()) module.heads.push_back(number.get<std::int64_t>());
  }
  if (module.heads.size() != site.heads())
    throw Error("metadata 'heads' names {} heads of '{}', which has {}", module.heads.size(),
                site.name, site.heads());
  if (!std::ranges::all_of(module.weights, [](float weight) { return std::isfinite(weight); }))
    throw Error("attention '{}' has weights that are no numbers", site.name);
  return module;
}

// Leaves out modules without heads.
std::vector<Module> read_modules(const AttentionMaps& maps, std::size_t problem) {
  std::vector<Module> modules;
  for (const AttentionMaps::Site& site : maps.sites())
    modules.push_back(read_module(maps, site, problem));
  std::erase_if(modules, [](const Module& module) { return module.heads.empty(); });
  if (modules.empty()) throw Error("no module has a head: nothing to draw");
  return modules;
}

std::string token_ticks(const std::vector<std::int32_t>& tokens, const TokenNames& names) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    list.push_back(tick(names.label(tokens[i]), static_cast<double>(i)));
  return join(list, ", ");
}

// The cells of one head, [T, S].
std::size_t head_block(Page& page, const Module& module, std::size_t head) {
  const std::size_t queries = module.queries.size(), keys = module.keys.size();
  Rows rows;
  for (std::size_t t = 0; t < queries; ++t) {
    for (std::size_t s = 0; s < keys; ++s) {
      const float weight = module.weights[(head * queries + t) * keys + s];
      rows.push_back({cell(s), cell(t), cell(static_cast<double>(weight))});
    }
  }
  return page.block(fmt::format("{} H{}", module.label, module.heads[head]),
                    {"key", "query", "weight"}, rows);
}

void draw_head(Page& page, const Module& module, std::size_t head, const TokenNames& names) {
  const std::size_t index = head_block(page, module, head);
  page.add("set title 'H{}' offset 0,-0.9 font ',11'", module.heads[head]);
  page.add("set xtics ({})", token_ticks(module.keys, names));
  page.add("set ytics ({})", token_ticks(module.queries, names));
  page.add("set xrange [-0.5:{}-0.5]; set yrange [{}-0.5:-0.5]", module.keys.size(),
           module.queries.size());
  page.add(
      "plot 'figure.dat' index {} using {}:3 with boxxyerror fs solid border lc '#DDDDDD' fc "
      "palette",
      index, kWholeCell);
}

double panel_height(const Module& module) {
  return std::max(70.0, kTokenSize * static_cast<double>(module.queries.size()));
}

}  // namespace

Figure draw_attention(const std::vector<NamedTensors>& files, const FigureOptions& options,
                      const TokenNames& tokens) {
  const AttentionMaps maps(only_file(files).file);
  const auto problem = static_cast<std::size_t>(options.problem);  // if negative, too large
  if (problem >= maps.problems().size())
    throw Error("there is no problem {}: the file has {}, from 0", options.problem,
                maps.problems().size());
  const std::vector<Module> modules = read_modules(maps, problem);
  std::string predicted;
  for (const std::int32_t token : maps.tokens("predictions", problem))
    predicted += tokens.spelled(token);
  const std::string title =
      fmt::format("Attention for {} (predicted {})", maps.problems()[problem], predicted);

  std::size_t heads = 0, keys = 0;  // the most of a module
  double height = kTop + kBottom - kPanelGapY;
  for (const Module& module : modules) {
    heads = std::max(heads, module.heads.size());
    keys = std::max(keys, module.keys.size());
    height += panel_height(module) + kPanelGapY;
  }
  const double panel_width = std::max(120.0, (kTokenSize + 5) * static_cast<double>(keys));
  const double width = static_cast<double>(heads) * (panel_width + kPanelGapX) - kPanelGapX;
  const Size needed{static_cast<int>(kLeft + width + kRight), static_cast<int>(height)};
  Page page("attention: weights of every head for one problem; rows are queries, columns keys",
            options, needed, title);
  // If the user sets a size, everything scales except the text.
  const double scale_x = static_cast<double>(page.size().width) / needed.width;
  const double scale_y = static_cast<double>(page.size().height) / needed.height;
  const Panel area{kLeft, page.size().width - kRight * scale_x, kTop * scale_y,
                   page.size().height - kBottom * scale_y};
  page.add("unset key; set border 15 lw 0.5; set tics scale 0 font ',{}'", kTokenFont);
  page.add("set xtics offset 0,0.6; set ytics offset 0.8,0");
  page.add("{}", kWeightPalette);
  page.add("set cbrange [0:1]; set cbtics 0.25 font ',10' offset -0.5,0");
  page.add(
      "set label 2 'rows: query tokens, columns: key tokens; stronger colour: more weight' at "
      "screen 0.5, screen {:.4f} center font ',11' textcolor '#444444'",
      page.y(page.size().height - 16.0));
  double top = area.top;
  for (const Module& module : modules) {
    const double bottom = top + panel_height(module) * scale_y;
    for (std::size_t head = 0; head < module.heads.size(); ++head) {
      const double left =
          (kLeft + static_cast<double>(head) * (panel_width + kPanelGapX)) * scale_x;
      const Panel panel{left, left + panel_width * scale_x, top, bottom};
      page.place(panel);
      if (head == 0)
        page.add("set label 1 {} at screen {:.4f}, screen {:.4f} left font ',12'",
                 literal(module.label), page.x(12), page.y(panel.middle_y()));
      if (&module == &modules[0] && head == 0) {
        page.place_colour_bar({area.right + 20, area.right + 34, area.top,
                               area.top + std::min(240.0, area.height())});
      } else {
        page.add("unset colorbox");
      }
      draw_head(page, module, head, tokens);
      page.add("unset label");
    }
    top = bottom + kPanelGapY * scale_y;
  }
  return page.finish();
}

}  // namespace headway
