// Compares what programs read with the page docs/json.md: every field that is printed is on the
// page, and every field on the page is printed.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace headway::testing {

class PrintedJson {
 public:
  PrintedJson();  // reads the page

  // A document or event that was printed. Checks that its section has all of its fields.
  void add(const std::string& section, const nlohmann::json& json);
  // "section: field" for each field of the page that was never added: those marked "on a cluster",
  // or all others.
  std::vector<std::string> never_seen(bool on_a_cluster) const;

 private:
  using Fields = std::set<std::string>;
  void collect(const nlohmann::json& json, const std::string& path, const Fields& known,
               Fields& to) const;

  std::map<std::string, Fields> page_;  // by heading
  std::map<std::string, Fields> of_clusters_;
  std::map<std::string, Fields> seen_;
};

}  // namespace headway::testing
