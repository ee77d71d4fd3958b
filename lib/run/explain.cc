#include "lib/run/explain.h"

#include <fmt/format.h>

#include <map>

#include "lib/base/text.h"

namespace headway {
namespace {

constexpr std::string_view kListPrefix = "list ";

bool is_content(const Change& change) { return change.fact.starts_with("input ") || change.fact.starts_with("file "); }

// Digests are shortened: nobody compares 64 letters.
std::string shown(const Change& change, const std::string& value, std::size_t width) {
  if (value.empty()) return "(none)";
  if (is_content(change)) return value.starts_with(kListPrefix) ? "list " + value.substr(kListPrefix.size(), 12) : value.substr(0, 12);
  return width ? fit(printable(value), width) : printable(value);
}

// item -> contents, of a list kept in the store.
std::map<std::string, std::string> read_list(Store& store, const std::string& value) {
  std::map<std::string, std::string> members;
  if (!value.starts_with(kListPrefix)) return members;
  const auto digest = Digest::from_hex(std::string_view(value).substr(kListPrefix.size()));
  const auto text = digest ? store.files().read(store.layout().list(*digest)) : std::nullopt;
  if (!text) return members;
  for (const std::string& line : split(*text, '\n')) {
    const std::size_t space = line.find(' ');
    if (space != std::string::npos) members[line.substr(space + 1)] = line.substr(0, space);
  }
  return members;
}

std::string changed_members(const Change& change, Store& store) {
  const auto before = read_list(store, change.before);
  const auto after = read_list(store, change.after);
  if (before.empty() || after.empty()) return "";
  std::vector<std::string> changes;
  for (const auto& [item, contents] : after) {
    const auto old = before.find(item);
    if (old == before.end()) changes.push_back(item + " (new)");
    else if (old->second != contents) changes.push_back(item);
  }
  for (const auto& [item, contents] : before) {
    if (!after.contains(item)) changes.push_back(item + " (gone)");
  }
  constexpr std::size_t kMost = 8;
  const std::size_t count = changes.size();
  if (count > kMost) changes.resize(kMost);
  if (count == 0) return "\n    order of the items";
  return fmt::format("\n    items that changed: {}{}", join(changes, ", "), count > kMost ? fmt::format(" and {} more", count - kMost) : "");
}

}  // namespace

std::vector<Change> compare(const std::vector<Fact>& before, const std::vector<SourcedFact>& after) {
  std::map<std::string, std::string> old;
  for (const Fact& fact : before) old[fact.name] = fact.value;
  std::vector<Change> changes;
  for (const SourcedFact& sourced : after) {
    const auto found = old.find(sourced.fact.name);
    if (found == old.end()) {
      changes.push_back({sourced.fact.name, "", sourced.fact.value, sourced.mark, sourced.upstream});
      continue;
    }
    if (found->second != sourced.fact.value) {
      changes.push_back({sourced.fact.name, found->second, sourced.fact.value, sourced.mark, sourced.upstream});
    }
    old.erase(found);
  }
  for (const auto& [name, value] : old) changes.push_back({name, value, "", {}, ""});
  return changes;
}

std::string brief(const Change& change) {
  if (change.fact.starts_with("input ")) {
    return change.after.empty() ? change.fact + " is gone" : fmt::format("{} changed (from {})", change.fact, change.upstream);
  }
  if (change.before.empty()) return change.fact + " is new";
  if (change.after.empty()) return change.fact + " is gone";
  if (is_content(change)) return change.fact + " changed";
  return fmt::format("{}: {} -> {}", change.fact, shown(change, change.before, 30), shown(change, change.after, 30));
}

std::string detailed(const Change& change, Store& store) {
  std::string text = fmt::format("{}: {} -> {}", change.fact, shown(change, change.before, 0), shown(change, change.after, 0));
  if (!change.upstream.empty()) text += fmt::format("\n    from {}", change.upstream);
  if (change.mark.source) text += fmt::format("\n    at {}", change.mark.text());
  return text + changed_members(change, store);
}

}  // namespace headway
