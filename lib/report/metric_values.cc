#include "lib/report/metric_values.h"

#include <fmt/format.h>

#include <charconv>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/provenance_text.h"

namespace headway {
namespace {

constexpr std::size_t kWidestText = 500;  // display columns of a name or value

void flatten_metrics(const Json& json, const std::string& path, Table& table) {
  if (json.is_structured() && !json.empty()) {
    for (const auto& [key, value] : json.items())
      flatten_metrics(value, path.empty() ? key : path + "." + key, table);
    return;
  }
  table.add({fit(path, kWidestText), shortened_value(plain_text(json), kWidestText)});
}

// The value in `inner` at the path after the dot at `end`.
const Json* find_below(const Json& inner, std::string_view path, std::size_t end) {
  if (end == path.size()) return &inner;
  return end + 1 == path.size() ? nullptr : find_metric(inner, path.substr(end + 1));
}

// The value at "0.greedy"; indices start at 0, as in flatten_metrics.
const Json* find_in_list(const Json& list, std::string_view path) {
  const std::string_view number = path.substr(0, path.find('.'));
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
  if (error != std::errc() || end != number.data() + number.size() || index >= list.size())
    return nullptr;
  return find_below(list[index], path, number.size());
}

}  // namespace

const Json* find_metric(const Json& metrics, std::string_view path) {
  if (path.empty()) return &metrics;
  if (metrics.is_array()) return find_in_list(metrics, path);
  if (!metrics.is_object()) return nullptr;
  // Tries the longest key first: "prune.1.5" may be one key.
  for (std::size_t end = path.size(); end != std::string_view::npos;
       end = end == 0 ? std::string_view::npos : path.rfind('.', end - 1)) {
    const auto found = metrics.find(std::string(path.substr(0, end)));
    if (found == metrics.end()) continue;
    if (const Json* inner = find_below(*found, path, end)) return inner;
  }
  return nullptr;
}

double metric_at(const Json& metrics, const std::string& path, const std::string& name) {
  const Json* found = find_metric(metrics, path);
  if (found && found->is_boolean()) return found->get<bool>() ? 1 : 0;
  if (found && found->is_number()) return found->get<double>();
  if (found && !found->is_structured())
    throw Error(fmt::format("{}: '{}' is no number, but {}", name, path, excerpt(*found)));
  Table table({"metric", "value"});
  flatten_metrics(metrics, "", table);
  std::vector<std::string> names;
  for (const auto& row : table.rows()) names.push_back(printable(row[0]));
  throw Error(fmt::format("{} has no number '{}'; it has {}{}", name, path, first_of(names),
                          did_you_mean(path, names)));
}

std::string plain_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return number_text(value.get<double>());
  if (value.is_array()) {
    std::vector<std::string> items;
    for (const Json& item : value) items.push_back(plain_text(item));
    return "[" + join(items, ", ") + "]";
  }
  return to_line(value);
}

Table metrics_table(const SourceFile& file) {
  const std::optional<Json> json = parse_json(file.bytes);
  if (!json) throw Error(fmt::format("{}: not JSON: {}", file.origin, json_mistake(file.bytes)));
  Table table({"metric", "value"});
  flatten_metrics(*json, "", table);
  return table;
}

}  // namespace headway
