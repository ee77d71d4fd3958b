#include "lib/report/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {
namespace {

Table table_of(const SourceFile& file) {
  return parse_csv(file.bytes, file.origin);
}

Json metrics_of(const SourceFile& file) {
  std::optional<Json> json = parse_json(file.bytes);
  if (!json || !json->is_object())
    throw Error(fmt::format("{}: not metrics: {}", file.origin,
                            json ? "a JSON object is expected" : json_mistake(file.bytes)));
  return std::move(*json);
}

}  // namespace

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
  return std::any_of(sources_.begin(), sources_.end(),
                     [&](const auto& source) { return source.first == name; });
}

std::vector<std::string> Sources::names() const {
  std::vector<std::string> names;
  for (const auto& [name, files] : sources_) names.push_back(name);
  return names;
}

const std::vector<SourceFile>& Sources::files(std::string_view name) const {
  for (const auto& [known, files] : sources_) {
    if (known == name) return files;
  }
  const std::string known = sources_.empty() ? "none" : join(names(), ", ");
  throw Error(fmt::format("no input is called '{}'; there are: {}{}", name, known,
                          did_you_mean(name, names())));
}

const SourceFile& Sources::file(std::string_view name) const {
  const std::vector<SourceFile>& all = files(name);
  if (all.size() != 1)
    throw Error(fmt::format("input '{}': one artifact is expected here, not {}", name, all.size()));
  return all.front();
}

Table Sources::table(std::string_view name) const {
  return table_of(file(name));
}

std::vector<SourceTable> Sources::tables(std::string_view name) const {
  std::vector<SourceTable> tables;
  for (const SourceFile& file : files(name)) tables.push_back({file.item, table_of(file)});
  return tables;
}

Json Sources::metrics(std::string_view name) const {
  return metrics_of(file(name));
}

std::vector<SourceMetrics> Sources::all_metrics(std::string_view name) const {
  std::vector<SourceMetrics> all;
  for (const SourceFile& file : files(name)) all.push_back({file.item, metrics_of(file)});
  return all;
}

TensorFile Sources::tensors(std::string_view name) const {
  const SourceFile& source = file(name);
  return parse_safetensors(source.bytes, source.origin);
}

}  // namespace headway
