#include "lib/report/explorer_piece.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <regex>
#include <tuple>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/report/escape.h"
#include "lib/report/figure_piece.h"

namespace headway {
namespace {

// Weights are written as integers of 1/10000: four decimals in half the bytes.
constexpr int kWeightScale = 10000;

struct ExplorerSite {
  int stack = 0;  // encoder self, decoder self, decoder cross
  int layer = 0;
  std::string name;  // name of the array

  static std::optional<ExplorerSite> named(const std::string& name) {
    static const std::regex kName(
        "(encoder\\.([0-9]{1,4})\\.self)|decoder\\.([0-9]{1,4})\\.(self|cross)");
    std::smatch match;
    if (!std::regex_match(name, match, kName)) return std::nullopt;
    if (match[1].matched) return ExplorerSite{0, std::stoi(match[2]), name};
    return ExplorerSite{match[4] == "self" ? 1 : 2, std::stoi(match[3]), name};
  }
  const char* module() const {
    return stack == 0 ? "Encoder self" : stack == 1 ? "Decoder self" : "Decoder cross";
  }
  // The same name as in tables and figures: "Decoder Cross L0".
  std::string label() const {
    static constexpr const char* kLabels[] = {"Encoder", "Decoder Self", "Decoder Cross"};
    return fmt::format("{} L{}", kLabels[stack], layer);
  }
  const char* queries() const { return stack == 0 ? "inputs" : "decoder_inputs"; }
  const char* keys() const { return stack == 1 ? "decoder_inputs" : "inputs"; }
  bool operator<(const ExplorerSite& other) const {
    return std::tie(stack, layer) < std::tie(other.stack, other.layer);
  }
};

class ExplorerReader {
 public:
  ExplorerReader(const TensorFile& maps, const std::function<std::string(int)>& token)
      : maps_(maps), token_(token), problems_(read_problems()), heads_(read_heads()) {}

  Json read() const {
    Json sites = Json::array();
    for (const ExplorerSite& site : sites_in_order()) {
      Json read = read_site(site);
      if (!read.at("heads").empty()) sites.push_back(std::move(read));
    }
    if (sites.empty())
      throw Error("no attention maps: an array such as 'encoder.0.self' is expected");
    return {{"scale", kWeightScale}, {"problems", problems_with_tokens()}, {"sites", sites}};
  }

 private:
  std::int64_t count() const { return static_cast<std::int64_t>(problems_.size()); }

  std::vector<std::string> read_problems() const {
    const auto found = maps_.metadata.find("problems");
    const auto json = found == maps_.metadata.end() ? std::nullopt : parse_json(found->second);
    const bool is_list = json && json->is_array() && !json->empty() &&
                         std::all_of(json->begin(), json->end(),
                                     [](const Json& problem) { return problem.is_string(); });
    if (!is_list)
      throw Error("metadata 'problems' must be a JSON list of texts, with at least one");
    return json->get<std::vector<std::string>>();
  }

  Json read_heads() const {
    const auto found = maps_.metadata.find("heads");
    if (found == maps_.metadata.end()) return nullptr;
    const auto json = parse_json(found->second);
    if (!json || !json->is_object())
      throw Error("metadata 'heads' must be a JSON map from module to head numbers");
    return *json;
  }

  std::vector<ExplorerSite> sites_in_order() const {
    std::vector<ExplorerSite> sites;
    for (const auto& [name, array] : maps_.arrays) {
      if (const auto site = ExplorerSite::named(name)) sites.push_back(*site);
    }
    std::sort(sites.begin(), sites.end());
    return sites;
  }

  // The head numbers before pruning.
  Json head_numbers_of(const std::string& site, std::int64_t heads) const {
    Json numbers = Json::array();
    if (heads_.is_null()) {
      for (std::int64_t head = 0; head < heads; ++head) numbers.push_back(head);
      return numbers;
    }
    if (heads_.contains(site)) numbers = heads_.at(site);
    const bool are_numbers =
        numbers.is_array() && std::all_of(numbers.begin(), numbers.end(), [](const Json& number) {
          return number.is_number_integer();
        });
    if (!are_numbers || static_cast<std::int64_t>(numbers.size()) != heads) {
      throw Error(fmt::format("metadata 'heads' must be {} numbers for '{}', not {}", heads, site,
                              excerpt(numbers)));
    }
    return numbers;
  }

  const Array& token_ids(std::string_view name) const {
    const std::vector<std::int64_t> shape = {count(), -1};
    return maps_.at(name, ElementType::kI32, shape);
  }

  Json read_site(const ExplorerSite& site) const {
    const std::vector<std::int64_t> shape = {count(), -1, token_ids(site.queries()).shape[1],
                                             token_ids(site.keys()).shape[1]};
    const Array& array = maps_.at(site.name, ElementType::kF32, shape);
    Json weights = Json::array();  // [problem][head][query * keys + key]
    const std::vector<float> all = array.floats();
    const std::int64_t heads = array.shape[1], cells = array.shape[2] * array.shape[3];
    auto next = all.begin();
    for (std::int64_t problem = 0; problem < count(); ++problem) {
      weights.push_back(Json::array());
      for (std::int64_t head = 0; head < heads; ++head, next += cells)
        weights.back().push_back(scaled(next, next + cells, site.name));
    }
    return {{"module", site.module()},      {"layer", site.layer},
            {"label", site.label()},        {"queries", site.queries()},
            {"keys", site.keys()},          {"heads", head_numbers_of(site.name, heads)},
            {"weights", std::move(weights)}};
  }

  static Json scaled(std::vector<float>::const_iterator begin,
                     std::vector<float>::const_iterator end, const std::string& site) {
    Json::array_t weights;
    weights.reserve(static_cast<std::size_t>(end - begin));
    for (auto weight = begin; weight != end; ++weight) {
      if (!(*weight >= -1e-4F && *weight <= 1.001F)) {
        throw Error(fmt::format("attention '{}' has a weight {}, which is not between 0 and 1",
                                site, *weight));
      }
      weights.push_back(
          std::lround(std::clamp(static_cast<double>(*weight), 0.0, 1.0) * kWeightScale));
    }
    return weights;
  }

  Json named_tokens(std::string_view name, std::size_t problem) const {
    const Array& array = token_ids(name);
    const std::vector<std::int32_t> ids = array.ints();
    const auto length = static_cast<std::size_t>(array.shape[1]);
    Json names = Json::array();
    for (std::size_t i = 0; i < length; ++i) names.push_back(token_(ids[problem * length + i]));
    return names;
  }

  Json problems_with_tokens() const {
    Json problems = Json::array();
    for (std::size_t i = 0; i < problems_.size(); ++i) {
      Json problem = {{"text", problems_[i]}};
      for (const char* name : {"inputs", "decoder_inputs", "targets", "predictions"})
        problem[name] = named_tokens(name, i);
      problems.push_back(std::move(problem));
    }
    return problems;
  }

  const TensorFile& maps_;
  const std::function<std::string(int)>& token_;
  const std::vector<std::string> problems_;
  const Json heads_;
};

}  // namespace

Piece explorer_piece(const TensorFile& maps, const std::function<std::string(int)>& token,
                     const std::string& id, const Piece& origin) {
  const Json data = ExplorerReader(maps, token).read();
  const Piece source = caption_piece("", origin, id);
  Piece piece;
  piece.markdown =
      "The page (`index.html`) shows every head on every problem; the figures here show some of "
      "them.\n" +
      source.markdown;
  piece.html = fmt::format(
      "<section class=\"explorer\" id=\"{}\" aria-label=\"Attention explorer\">\n"
      "<p class=\"needs-script\">The explorer needs JavaScript. The figures show the same "
      "attention without it.</p>\n"
      "<script type=\"application/json\">{}</script>\n{}</section>\n",
      html_escaped(id), script_json(data), source.html);
  return piece;
}

}  // namespace headway
