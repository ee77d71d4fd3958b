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

constexpr std::size_t kMostExplorerWeights = 3'000'000;  // of all problems: about 10 MB of a page

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

// Of the first problems.
Json site_json(const AttentionMaps& maps, const AttentionMaps::Site& site, std::size_t problems) {
  Json weights = Json::array();  // [problem][head][query * keys + key]
  for (std::size_t problem = 0; problem < problems; ++problem) {
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

// Has only what the maps have.
Json problem_json(const AttentionMaps& maps, std::size_t problem) {
  Json json = {{"text", maps.problems()[problem]}};
  for (const char* name : {"inputs", "decoder_inputs"}) {
    if (maps.has(name)) json[name] = maps.tokens(name, problem);
  }
  if (maps.has("targets") && maps.has("predictions")) {
    for (const char* name : {"targets", "predictions"})
      json[name] = maps.answer_tokens(name, problem);
  }
  for (const char* name : {"next", "next_wanted"}) {
    if (!maps.has("next")) break;
    json[name] = Json::array();
    for (const std::optional<std::string>& token : maps.next_tokens(name, problem))
      json[name].push_back(token ? Json(*token) : Json());
  }
  if (!maps.answer(problem).empty()) json["answer"] = maps.answer(problem);
  if (!maps.wanted(problem).empty()) json["wanted"] = maps.wanted(problem);
  if (maps.confidence(problem)) json["confidence"] = *maps.confidence(problem);
  return json;
}

// How many problems, from the first, have room on the page.
std::size_t problems_with_room(const AttentionMaps& maps) {
  const std::vector<AttentionMaps::Site> sites = maps.sites();
  std::size_t weights = 0, problems = 0;
  for (; problems < maps.problems().size(); ++problems) {
    for (const AttentionMaps::Site& site : sites)
      weights += site.heads() * maps.tokens(site.stack->queries, problems).size() *
                 maps.tokens(site.stack->keys, problems).size();
    if (weights > kMostExplorerWeights) break;
  }
  if (problems == 0)
    throw Error("a problem has {} attention weights, and a page has room for {}", weights,
                kMostExplorerWeights);
  return problems;
}

Json explorer_json(const AttentionMaps& maps, std::size_t count) {
  Json sites = Json::array(), problems = Json::array();
  for (const AttentionMaps::Site& site : maps.sites()) {
    Json json = site_json(maps, site, count);
    if (site.heads() > 0) sites.push_back(std::move(json));
  }
  if (sites.empty()) throw Error("no module has a head: nothing to show");
  for (std::size_t problem = 0; problem < count; ++problem)
    problems.push_back(problem_json(maps, problem));
  return {{"scale", kWeightScale}, {"problems", std::move(problems)}, {"sites", std::move(sites)}};
}

}  // namespace

Piece explorer_piece(const TensorFile& file, const std::string& id, const Piece& origin) {
  const AttentionMaps maps(file);
  const std::size_t all = maps.problems().size(), count = problems_with_room(maps);
  const Json data = explorer_json(maps, count);
  const Piece source = caption_piece("", origin, id);
  const std::string shown =
      count == all ? "every problem" : fmt::format("the first {} of {} problems", count, all);
  Piece piece;
  piece.markdown = fmt::format(
      "The page (`index.html`) shows every head on {}; the figures here show some of them.\n{}",
      shown, source.markdown);
  piece.html = fmt::format(
      "<section class=\"explorer\" id=\"{}\" aria-label=\"Attention explorer\">\n"
      "<p class=\"needs-script\">The explorer needs JavaScript. The figures show the same "
      "attention without it.</p>\n"
      "<script type=\"application/json\">{}</script>\n{}{}</section>\n",
      html_escaped(id), script_json(data),
      count == all ? ""
                   : fmt::format("<p class=\"detail\">Of {} problems, the page has room for the "
                                 "first {}.</p>\n",
                                 all, count),
      source.html);
  return piece;
}

}  // namespace headway
