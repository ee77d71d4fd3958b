#include "lib/report/sources.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/provenance.h"

namespace headway {
namespace {

constexpr std::size_t kWidestText = 500;  // display columns of a name or value

void add_leaves(const Json& json, const std::string& path,
                std::vector<std::pair<std::string, const Json*>>& leaves) {
  if (!json.is_structured() || json.empty()) {
    leaves.emplace_back(path, &json);
    return;
  }
  for (const auto& [key, value] : json.items())
    add_leaves(value, path.empty() ? key : path + "." + key, leaves);
}

// The value in `inner` at the path after the dot at `end`.
const Json* find_below(const Json& inner, std::string_view path, std::size_t end) {
  if (end == path.size()) return &inner;
  return end + 1 == path.size() ? nullptr : find_metric(inner, path.substr(end + 1));
}

// The value at "0.greedy"; indices start at 0, as in leaves_of.
const Json* find_in_list(const Json& list, std::string_view path) {
  const std::string_view number = path.substr(0, path.find('.'));
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
  if (error != std::errc() || end != number.data() + number.size() || index >= list.size())
    return nullptr;
  return find_below(list[index], path, number.size());
}

}  // namespace

std::string extension_of(const SourceFile& file) {
  const std::size_t dot = file.name.rfind('.');
  return dot == std::string::npos ? "" : file.name.substr(dot);
}

void expect_kind(const SourceFile& file, std::initializer_list<std::string_view> extensions,
                 std::string_view expected) {
  const std::string extension = extension_of(file);
  if (extension.empty() || std::ranges::find(extensions, extension) != extensions.end()) return;
  throw Error("{} ({}): {}", file.origin, printable(file.name), expected);
}

Table table_of(const SourceFile& file) {
  return parse_csv(file.bytes, file.origin);
}

Json metrics_of(const SourceFile& file) {
  std::optional<Json> json = parse_json(file.bytes);
  if (!json || !json->is_object())
    throw Error("{}: not metrics: {}", file.origin,
                json ? "a JSON object is expected" : json_mistake(file.bytes));
  return std::move(*json);
}

TensorFile tensors_of(const SourceFile& file) {
  return parse_safetensors(file.bytes, file.origin);
}

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
    throw Error("{}: '{}' is no number, but {}", name, path, excerpt(*found));
  std::vector<std::string> names;
  for (const auto& [leaf, value] : leaves_of(metrics))
    names.push_back(printable(fit(leaf, kWidestText)));
  throw Error("{} has no number '{}'; it has {}{}", name, path, first_of(names),
              did_you_mean(path, names));
}

std::string plain_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return number_text(value.get<double>());
  if (value.is_array()) return "[" + join(texts_of(value, plain_text), ", ") + "]";
  return to_line(value);
}

std::vector<std::pair<std::string, const Json*>> leaves_of(const Json& json) {
  std::vector<std::pair<std::string, const Json*>> leaves;
  add_leaves(json, "", leaves);
  return leaves;
}

Table metrics_table(const SourceFile& file) {
  const std::optional<Json> json = parse_json(file.bytes);
  if (!json) throw Error("{}: not JSON: {}", file.origin, json_mistake(file.bytes));
  Table table({"metric", "value"});
  for (const auto& [path, leaf] : leaves_of(*json))
    table.add({fit(path, kWidestText), shortened_value(plain_text(*leaf), kWidestText)});
  return table;
}

void Sources::add(const std::string& name, std::vector<SourceFile> files) {
  const auto found = std::find_if(sources_.begin(), sources_.end(),
                                  [&](const auto& source) { return source.first == name; });
  if (found == sources_.end()) {
    sources_.emplace_back(name, std::move(files));
    return;
  }
  for (SourceFile& file : files) found->second.push_back(std::move(file));
}

bool Sources::has(std::string_view name) const {
  return std::ranges::any_of(sources_, [&](const auto& source) { return source.first == name; });
}

std::vector<std::string> Sources::names() const {
  return texts_of(sources_, [](const auto& source) { return source.first; });
}

const std::vector<SourceFile>& Sources::files(std::string_view name) const {
  for (const auto& [known, files] : sources_) {
    if (known == name) return files;
  }
  const std::string known = sources_.empty() ? "none" : join(names(), ", ");
  throw Error("no input is called '{}'; there are: {}{}", name, known, did_you_mean(name, names()));
}

const SourceFile& Sources::file(std::string_view name) const {
  const std::vector<SourceFile>& all = files(name);
  if (all.size() != 1)
    throw Error("input '{}': one artifact is expected here, not {}", name, all.size());
  return all.front();
}

}  // namespace headway
