#include <algorithm>
#include <cmath>
#include <regex>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/text.h"
#include "lib/figures/checks.h"
#include "lib/figures/kinds.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

constexpr double kTokenSize = 17;  // pixels per token on an axis
constexpr double kTokenFont = 9;
constexpr double kPanelGapX = 38;  // room for the next panel's query tokens
constexpr double kPanelGapY = 44;  // room for the key tokens and the next panel's name

struct Module {
  std::string name;                   // "decoder.0.cross"
  std::string label;                  // "Decoder Cross L0"
  std::vector<std::int32_t> queries;  // tokens, [T]
  std::vector<std::int32_t> keys;     // tokens, [S]
  std::vector<float> weights;         // of one problem, [H, T, S]
  std::vector<std::int64_t> heads;    // original head numbers, [H]
};

// Order: encoder, decoder self, decoder cross; each by layer.
struct ModuleName {
  int stack = 0;
  int layer = 0;
  std::string name;
  std::string label;
  bool is_encoder() const { return stack == 0; }
  bool is_cross() const { return stack == 2; }
  bool operator<(const ModuleName& other) const {
    return std::tie(stack, layer) < std::tie(other.stack, other.layer);
  }
};

std::vector<ModuleName> modules_in(const TensorFile& maps) {
  static const std::regex kName("(encoder|decoder)\\.([0-9]{1,4})\\.(self|cross)");
  static constexpr const char* kLabels[] = {"Encoder", "Decoder Self", "Decoder Cross"};
  std::vector<ModuleName> modules;
  for (const auto& [name, array] : maps.arrays) {
    std::smatch match;
    if (!std::regex_match(name, match, kName)) continue;
    const int stack = match[1] == "encoder" ? 0 : match[3] == "self" ? 1 : 2;
    const int layer = std::stoi(match[2]);
    modules.push_back({stack, layer, name, fmt::format("{} L{}", kLabels[stack], layer)});
  }
  if (modules.empty()) {
    throw Error("no attention maps: an array such as 'encoder.0.self' is expected");
  }
  std::sort(modules.begin(), modules.end());
  return modules;
}

std::vector<std::string> problems_of(const TensorFile& maps) {
  const auto found = maps.metadata.find("problems");
  if (found == maps.metadata.end()) throw Error("no metadata 'problems': the problems' texts");
  const auto json = parse_json(found->second);
  std::vector<std::string> problems;
  if (json && json->is_array()) {
    for (const Json& problem : *json) {
      if (problem.is_string()) problems.push_back(problem.get<std::string>());
    }
  }
  if (problems.empty() || problems.size() != json->size()) {
    throw Error("metadata 'problems' must be a JSON list of texts, with at least one");
  }
  return problems;
}

std::vector<std::int64_t> head_numbers(const TensorFile& maps, const std::string& module,
                                       std::int64_t count) {
  std::vector<std::int64_t> numbers;
  const auto found = maps.metadata.find("heads");
  if (found == maps.metadata.end()) {
    for (std::int64_t head = 0; head < count; ++head) numbers.push_back(head);
    return numbers;
  }
  const auto json = parse_json(found->second);
  if (!json || !json->is_object()) {
    throw Error("metadata 'heads' must be a JSON map from module to head numbers");
  }
  const Json list = json->contains(module) ? json->at(module) : Json::array();
  for (const Json& number : list) {
    if (number.is_number_integer()) numbers.push_back(number.get<std::int64_t>());
  }
  if (numbers.size() != static_cast<std::size_t>(count)) {
    throw Error(fmt::format("metadata 'heads' names {} heads of '{}', which has {}", numbers.size(),
                            module, count));
  }
  return numbers;
}

// One problem's slice of an array whose first dimension is the problem.
template <class T>
std::vector<T> slice(const std::vector<T>& all, std::int64_t problem, std::int64_t problems) {
  const auto size = static_cast<std::ptrdiff_t>(all.size()) / problems;
  return {all.begin() + problem * size, all.begin() + (problem + 1) * size};
}

class AttentionReader {
 public:
  AttentionReader(const TensorFile& maps, std::int64_t problem)
      : maps_(maps), problems_(problems_of(maps)), problem_(problem) {
    const auto count = static_cast<std::int64_t>(problems_.size());
    if (problem < 0 || problem >= count) {
      throw Error(fmt::format("there is no problem {}: the file has {}, from 0", problem, count));
    }
  }

  const std::string& problem() const { return problems_[static_cast<std::size_t>(problem_)]; }

  std::vector<std::int32_t> tokens(std::string_view name) const {
    const std::vector<std::int64_t> shape = {count(), -1};
    return slice(maps_.at(name, ElementType::kI32, shape).ints(), problem_, count());
  }

  // Leaves out modules without heads.
  std::vector<Module> modules() const {
    std::vector<Module> modules;
    for (const ModuleName& name : modules_in(maps_)) {
      Module module = read(name);
      if (!module.heads.empty()) modules.push_back(std::move(module));
    }
    if (modules.empty()) throw Error("no module has a head: nothing to draw");
    return modules;
  }

 private:
  std::int64_t count() const { return static_cast<std::int64_t>(problems_.size()); }

  Module read(const ModuleName& name) const {
    Module module;
    module.name = name.name;
    module.label = name.label;
    module.queries = tokens(name.is_encoder() ? "inputs" : "decoder_inputs");
    module.keys = tokens(name.is_encoder() || name.is_cross() ? "inputs" : "decoder_inputs");
    const std::vector<std::int64_t> shape = {count(), -1,
                                             static_cast<std::int64_t>(module.queries.size()),
                                             static_cast<std::int64_t>(module.keys.size())};
    const Array& array = maps_.at(name.name, ElementType::kF32, shape);
    module.heads = head_numbers(maps_, name.name, array.shape[1]);
    module.weights = slice(array.floats(), problem_, count());
    const bool finite = std::all_of(module.weights.begin(), module.weights.end(),
                                    [](float weight) { return std::isfinite(weight); });
    if (!finite)
      throw Error(fmt::format("attention '{}' has weights that are no numbers", name.name));
    return module;
  }

  const TensorFile& maps_;
  const std::vector<std::string> problems_;
  const std::int64_t problem_;
};

std::string ticks(const std::vector<std::int32_t>& tokens, const TokenNames& names) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < tokens.size(); ++i) list.push_back(tick(names.label(tokens[i]), i));
  return join(list, ", ");
}

// The cells of one head, [T, S].
std::size_t head_block(Page& page, const Module& module, std::size_t head) {
  const std::size_t queries = module.queries.size(), keys = module.keys.size();
  std::vector<std::vector<std::string>> rows;
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
  page.add("set xtics ({})", ticks(module.keys, names));
  page.add("set ytics ({})", ticks(module.queries, names));
  page.add("set xrange [-0.5:{}-0.5]; set yrange [{}-0.5:-0.5]", module.keys.size(),
           module.queries.size());
  page.add(
      "plot 'figure.dat' index {} using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with "
      "boxxyerror fs solid border lc '#DDDDDD' fc palette",
      index);
}

struct Grid {
  double left = 150;  // room for module names and query tokens
  double right = 75;  // room for the colour bar
  double top = 62;
  double bottom = 62;
  std::size_t columns = 0;
  double panel_width = 0;
  std::vector<double> panel_heights;  // one for each row

  Size size() const {
    double height = top + bottom + kPanelGapY * static_cast<double>(panel_heights.size() - 1);
    for (const double panel : panel_heights) height += panel;
    const double count = static_cast<double>(columns);
    return {static_cast<int>(left + right + count * panel_width + (count - 1) * kPanelGapX),
            static_cast<int>(height)};
  }
};

Grid grid_of(const std::vector<Module>& modules) {
  Grid grid;
  std::size_t keys = 0;
  for (const Module& module : modules) {
    grid.columns = std::max(grid.columns, module.heads.size());
    keys = std::max(keys, module.keys.size());
    grid.panel_heights.push_back(
        std::max(70.0, kTokenSize * static_cast<double>(module.queries.size())));
  }
  grid.panel_width = std::max(120.0, (kTokenSize + 5) * static_cast<double>(keys));
  return grid;
}

void name_row(Page& page, const std::string& label, const Panel& panel) {
  page.add("set label 1 {} at screen {:.4f}, screen {:.4f} left font ',12'", literal(label),
           page.x(12), page.y((panel.top + panel.bottom) / 2));
}

void draw_colour_bar(Page& page, const Panel& area) {
  const double height = std::min(240.0, area.bottom - area.top);
  page.place_colour_bar({area.right + 20, area.right + 34, area.top, area.top + height});
}

}  // namespace

Figure draw_attention(const std::vector<NamedTensors>& files, const FigureOptions& options,
                      const TokenNames& tokens) {
  const AttentionReader reader(only_file(files).file, options.problem);
  const std::vector<Module> modules = reader.modules();
  std::string predicted;
  for (const std::int32_t token : reader.tokens("predictions")) {
    predicted += tokens.spelled(token);
  }
  const std::string title =
      fmt::format("Attention for {} (predicted {})", reader.problem(), predicted);

  const Grid grid = grid_of(modules);
  const Size needed = grid.size();
  Page page("attention: weights of every head for one problem; rows are queries, columns keys",
            options, needed, title);
  // If the user sets a size, everything scales except the text.
  const double scale_x = static_cast<double>(page.size().width) / needed.width;
  const double scale_y = static_cast<double>(page.size().height) / needed.height;
  const Panel area{grid.left, page.size().width - grid.right * scale_x, grid.top * scale_y,
                   page.size().height - grid.bottom * scale_y};
  page.add("unset key; set border 15 lw 0.5; set tics scale 0 font ',{}'", kTokenFont);
  page.add("set xtics offset 0,0.6; set ytics offset 0.8,0");
  page.add("{}", kWeightPalette);
  page.add("set cbrange [0:1]; set cbtics 0.25 font ',10' offset -0.5,0");
  page.add(
      "set label 2 'rows: query tokens, columns: key tokens; stronger colour: more weight' at "
      "screen 0.5, "
      "screen {:.4f} center font ',11' textcolor '#444444'",
      page.y(page.size().height - 16.0));
  double top = area.top;
  for (std::size_t row = 0; row < modules.size(); ++row) {
    const double bottom = top + grid.panel_heights[row] * scale_y;
    for (std::size_t head = 0; head < modules[row].heads.size(); ++head) {
      const double left =
          (grid.left + static_cast<double>(head) * (grid.panel_width + kPanelGapX)) * scale_x;
      const Panel panel{left, left + grid.panel_width * scale_x, top, bottom};
      page.place(panel);
      if (head == 0) name_row(page, modules[row].label, panel);
      if (row == 0 && head == 0) {
        draw_colour_bar(page, area);
      } else {
        page.add("unset colorbox");
      }
      draw_head(page, modules[row], head, tokens);
      page.add("unset label");
    }
    top = bottom + kPanelGapY * scale_y;
  }
  return page.finish();
}

}  // namespace headway
