#include "tests/support/printed_json.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <regex>

namespace headway::testing {

PrintedJson::PrintedJson() {
  std::ifstream page(HEADWAY_SOURCE_DIR "/docs/json.md");
  const std::regex heading_form("##+ (.*)"), field_form("^\\| `([^`]+)` \\| ([^|]*) \\|");
  std::string heading;
  for (std::string line; std::getline(page, line);) {
    std::smatch found;
    if (std::regex_match(line, found, heading_form)) heading = found.str(1);
    if (!std::regex_search(line, found, field_form)) continue;
    CHECK(page_[heading].insert(found.str(1)).second);
    if (found.str(2).ends_with("on a cluster")) of_clusters_[heading].insert(found.str(1));
  }
}

void PrintedJson::add(const std::string& section, const nlohmann::json& json) {
  INFO(section << ": " << json.dump());
  REQUIRE(page_.contains(section));
  Fields fields;
  collect(json, "", page_.at(section), fields);
  for (const std::string& field : fields) {
    INFO(field);
    CHECK(page_.at(section).contains(field));
  }
  seen_[section].insert(fields.begin(), fields.end());
}

// The fields of a document, named as on the page.
void PrintedJson::collect(const nlohmann::json& json, const std::string& path, const Fields& known,
                          Fields& to) const {
  const std::string below = path + ".*.";
  const bool has_any_names =
      known.contains(path + ".*") ||
      std::ranges::any_of(known, [&](const std::string& name) { return name.starts_with(below); });
  if (known.contains(path + ".*")) {
    to.insert(path + ".*");
  } else if (json.is_array()) {
    for (const nlohmann::json& element : json) collect(element, path + "[]", known, to);
  } else if (json.is_object()) {
    for (const auto& [name, value] : json.items())
      collect(value, path + (path.empty() ? "" : ".") + (has_any_names ? "*" : name), known, to);
  } else if (!(json.is_null() && has_any_names)) {
    to.insert(path);
  }
}

std::vector<std::string> PrintedJson::never_seen(bool on_a_cluster) const {
  std::vector<std::string> missing;
  const auto has = [](const std::map<std::string, Fields>& fields, const std::string& section,
                      const std::string& field) {
    const auto found = fields.find(section);
    return found != fields.end() && found->second.contains(field);
  };
  for (const auto& [section, fields] : page_) {
    for (const std::string& field : fields) {
      if (has(of_clusters_, section, field) == on_a_cluster && !has(seen_, section, field))
        missing.push_back(section + ": " + field);
    }
  }
  return missing;
}

}  // namespace headway::testing
