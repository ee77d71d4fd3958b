#include "lib/report/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/numerics/attention_maps.h"
#include "lib/report/escape.h"

namespace headway {
namespace {

// Weights are written as integers of 1/10000: four decimals in half the bytes.
constexpr int kWeightScale = 10000;

// Of one head.
Json scaled(std::span<const float> weights, const std::string& site) {
  Json::array_t cells;
  cells.reserve(weights.size());
  for (const float weight : weights) {
    if (!(weight >= -1e-4F && weight <= 1.001F))
      throw Error("attention '{}' has a weight {}, which is not between 0 and 1", site, weight);
    cells.push_back(std::lround(std::clamp(static_cast<double>(weight), 0.0, 1.0) * kWeightScale));
  }
  return cells;
}

Json head_numbers(const AttentionMaps& maps, const AttentionMaps::Site& site) {
  Json numbers = maps.heads_of(site);
  const bool are_numbers =
      numbers.is_array() &&
      std::ranges::all_of(numbers, [](const Json& number) { return number.is_number_integer(); });
  if (!are_numbers || numbers.size() != site.heads())
    throw Error("metadata 'heads' must be {} numbers for '{}', not {}", site.heads(), site.name,
                excerpt(numbers));
  return numbers;
}

Json site_json(const AttentionMaps& maps, const AttentionMaps::Site& site) {
  Json weights = Json::array();  // [problem][head][query * keys + key]
  for (std::size_t problem = 0; problem < maps.problems().size(); ++problem) {
    const std::vector<float> all = maps.weights(site, problem);
    weights.push_back(Json::array());
    for (std::size_t head = 0; head < site.heads(); ++head) {
      const std::size_t cells = all.size() / site.heads();
      weights.back().push_back(scaled(std::span(all).subspan(head * cells, cells), site.name));
    }
  }
  return {{"module", site.stack->module}, {"layer", site.layer},
          {"label", site.label()},        {"queries", site.stack->queries},
          {"keys", site.stack->keys},     {"heads", head_numbers(maps, site)},
          {"weights", std::move(weights)}};
}

Json problem_json(const AttentionMaps& maps, const std::function<std::string(int)>& token,
                  std::size_t problem) {
  Json json = {{"text", maps.problems()[problem]}};
  for (const char* name : {"inputs", "decoder_inputs", "targets", "predictions"}) {
    json[name] = Json::array();
    for (const std::int32_t id : maps.tokens(name, problem)) json[name].push_back(token(id));
  }
  return json;
}

Json explorer_json(const AttentionMaps& maps, const std::function<std::string(int)>& token) {
  Json sites = Json::array(), problems = Json::array();
  for (const AttentionMaps::Site& site : maps.sites()) {
    Json json = site_json(maps, site);
    if (site.heads() > 0) sites.push_back(std::move(json));
  }
  if (sites.empty()) throw Error("no module has a head: nothing to show");
  for (std::size_t problem = 0; problem < maps.problems().size(); ++problem)
    problems.push_back(problem_json(maps, token, problem));
  return {{"scale", kWeightScale}, {"problems", std::move(problems)}, {"sites", std::move(sites)}};
}

}  // namespace

Piece explorer_piece(const TensorFile& maps, const std::function<std::string(int)>& token,
                     const std::string& id, const Piece& origin) {
  const Json data = explorer_json(AttentionMaps(maps), token);
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
