#include "lib/data/legend_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {
namespace {

constexpr const char* kAny = "*";

std::string shown(const std::string& name) {
  return fit(printable(name), 40);
}

// ------------------------------------------------------------------ writing ---

std::string role_text(const Legend& legend, std::int32_t role) {
  return role == kAnyRole ? kAny : legend.roles[static_cast<std::size_t>(role)];
}

Json relations_json(const Legend& legend) {
  Json relations = Json::object();
  for (const Relation& relation : legend.relations) {
    Json& pairs = relations[relation.name] = Json::array();
    for (const RolePair& pair : relation.pairs) {
      pairs.push_back(
          {{"query", role_text(legend, pair.query)}, {"key", role_text(legend, pair.key)}});
      if (!pair.when) continue;
      const SampleGroup& group = legend.groups[static_cast<std::size_t>(pair.when->group)];
      pairs.back()["group"] = group.name;
      pairs.back()["value"] = group.values[static_cast<std::size_t>(pair.when->value)];
    }
  }
  return relations;
}

// ------------------------------------------------------------------ reading ---

// A list of different texts; none if `list` is null.
std::vector<std::string> different_texts(const Json& list, const std::string& what) {
  std::vector<std::string> texts;
  if (list.is_null()) return texts;
  if (!list.is_array())
    throw Error("{} should be a list of texts, but is {}", what, excerpt(list, 40));
  texts.reserve(list.size());
  std::unordered_set<std::string_view> seen;
  for (const Json& text : list) {
    if (!text.is_string() || text.get_ref<const std::string&>().empty())
      throw Error("{} should be a list of texts, but has {}", what, excerpt(text, 40));
    texts.push_back(text.get<std::string>());
    if (!seen.insert(text.get_ref<const std::string&>()).second)
      throw Error("{} has '{}' twice", what, shown(texts.back()));
  }
  return texts;
}

std::vector<SampleGroup> read_groups(const Json& json) {
  std::vector<SampleGroup> groups;
  if (json.is_null()) return groups;
  if (!json.is_object())
    throw Error("'groups' should be a map from names to values, but is {}", excerpt(json, 40));
  for (const auto& [name, values] : json.items()) {
    const std::string what = fmt::format("group '{}'", shown(name));
    groups.push_back({name, different_texts(values, what)});
    if (groups.back().values.empty()) throw Error("{} has no values", what);
  }
  return groups;
}

class PairReader {
 public:
  explicit PairReader(const Legend& legend) : legend_(legend) {
    for (const std::string& role : legend.roles)
      roles_.emplace(role, static_cast<std::int32_t>(roles_.size()));
  }

  RolePair read(const Json& json) const {
    if (json.is_array() && json.size() == 2) return {role(json[0]), role(json[1])};
    if (!json.is_object() || !json.contains("query") || !json.contains("key"))
      throw Error("a pair should be [query, key] or a map with 'query' and 'key', but is {}",
                  excerpt(json, 60));
    for (const auto& [key, value] : json.items()) {
      if (key != "query" && key != "key" && key != "group" && key != "value")
        throw Error("a pair has query, key, group and value, but no '{}'", shown(key));
    }
    RolePair pair{role(json["query"]), role(json["key"])};
    if (json.contains("group") || json.contains("value")) pair.when = condition(json);
    return pair;
  }

 private:
  std::int32_t role(const Json& json) const {
    if (json.is_null() || json == kAny) return kAnyRole;
    if (!json.is_string())
      throw Error("a role should be text, or null for any, but is {}", excerpt(json, 40));
    const auto& name = json.get_ref<const std::string&>();
    const auto found = roles_.find(name);
    if (found == roles_.end()) throw Error("'{}' is none of the roles", shown(name));
    return found->second;
  }

  RolePair::Condition condition(const Json& pair) const {
    const auto text = [&](const char* key) {
      const auto found = pair.find(key);
      if (found == pair.end() || !found->is_string())
        throw Error("'group' and 'value' should be texts, but a pair is {}", excerpt(pair, 60));
      return found->get<std::string>();
    };
    const std::string name = text("group"), value = text("value");
    const std::int32_t group = legend_.group(name);
    if (group < 0) throw Error("'{}' is none of the groups", shown(name));
    const std::vector<std::string>& values = legend_.groups[static_cast<std::size_t>(group)].values;
    const auto found = std::ranges::find(values, value);
    if (found == values.end())
      throw Error("'{}' is no value of the group '{}'", shown(value), shown(name));
    return {group, static_cast<std::int32_t>(found - values.begin())};
  }

  const Legend& legend_;
  std::unordered_map<std::string_view, std::int32_t> roles_;
};

std::vector<Relation> read_relations(const Json& json, const Legend& legend) {
  std::vector<Relation> relations;
  if (json.is_null()) return relations;
  if (!json.is_object())
    throw Error("'relations' should be a map from names to lists of pairs, but is {}",
                excerpt(json, 40));
  const PairReader reader(legend);
  for (const auto& [name, pairs] : json.items()) {
    try {
      if (!pairs.is_array())
        throw Error("should be a list of pairs, but is {}", excerpt(pairs, 40));
      relations.push_back({name, {}});
      for (const Json& pair : pairs) relations.back().pairs.push_back(reader.read(pair));
    } catch (const Error& error) {
      throw error.within(fmt::format("relation '{}'", shown(name)));
    }
  }
  return relations;
}

}  // namespace

Json to_json(const Legend& legend) {
  Json json = {{"vocabulary", legend.vocabulary.words()}};
  if (!legend.classes.empty()) json["classes"] = legend.classes;
  for (const SampleGroup& group : legend.groups) json["groups"][group.name] = group.values;
  if (!legend.roles.empty()) json["roles"] = legend.roles;
  if (!legend.relations.empty()) json["relations"] = relations_json(legend);
  return json;
}

Legend legend_from(const Json& json) {
  const auto part = [&](const char* name) {
    const auto found = json.find(name);
    return found == json.end() ? Json() : *found;
  };
  Legend legend;
  std::vector<std::string> words = different_texts(part("vocabulary"), "'vocabulary'");
  if (words.empty()) throw Error("there is no 'vocabulary', a list of words");
  legend.vocabulary = Vocabulary(std::move(words));
  legend.classes = different_texts(part("classes"), "'classes'");
  if (legend.classes.size() == 1)
    throw Error("'{}' is the only class; there should be two at least", shown(legend.classes[0]));
  legend.groups = read_groups(part("groups"));
  legend.roles = different_texts(part("roles"), "'roles'");
  legend.relations = read_relations(part("relations"), legend);
  check_names(legend);
  return legend;
}

}  // namespace headway
