#include "lib/run/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lib/base/text.h"

namespace headway {
namespace {

// Provenance is kept as a digest, so there are no readable values to compare.
bool is_of_provenance(const Change& change) {
  return change.kind == FactKind::kProvenance && !change.before.empty() && !change.after.empty();
}

bool is_content(const Change& change) {
  return change.kind == FactKind::kInput || change.kind == FactKind::kFile;
}

// The first 12 digits are enough to tell digests apart.
std::string short_digest(const std::string& value) {
  const std::optional<Digest> list = list_digest(value);
  return list ? "list " + list->short_hex() : value.substr(0, 12);
}

// For long texts, shows only the part that differs and a few characters around it.
std::string difference(const std::string& before, const std::string& after) {
  constexpr std::size_t kShort = 40;
  constexpr std::size_t kAround = 16;
  if (before.size() <= kShort && after.size() <= kShort)
    return printable(before) + " -> " + printable(after);
  const std::size_t most = std::min(before.size(), after.size());
  std::size_t head = 0;
  while (head < most && before[head] == after[head]) ++head;
  std::size_t tail = 0;
  while (tail < most - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  const auto part = [&](const std::string& text) {
    std::size_t begin = head > kAround ? head - kAround : 0;
    std::size_t end = std::min(text.size(), text.size() - tail + kAround);
    const auto inside = [&](std::size_t at) {
      return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
    };
    while (inside(begin)) ++begin;  // do not cut a UTF-8 character
    while (inside(end)) ++end;
    return (begin > 0 ? "…" : "") + fit(printable(text.substr(begin, end - begin)), 60) +
           (end < text.size() ? "…" : "");
  };
  return part(before) + " -> " + part(after);
}

std::string difference(const Change& change) {
  const auto alone = [&](const std::string& value) {
    return value.empty()        ? "(none)"
           : is_content(change) ? short_digest(value)
                                : fit(printable(value), 60);
  };
  if (change.before.empty() || change.after.empty() || is_content(change))
    return alone(change.before) + " -> " + alone(change.after);
  return difference(change.before, change.after);
}

bool is_same_place(const SourceLocation& a, const SourceLocation& b) {
  return a.source && a.source == b.source && a.line == b.line && a.column == b.column;
}

// Whether a stage's parameter can have changed through a param that the stage uses somewhere. A
// value that is nothing but a reference has the param's own place. References inside of a text,
// list or map leave no trace; a number or boolean cannot have any.
bool is_through(const Change& change, const ParamReference& reference) {
  const bool is_simple = !change.after.starts_with('"') && !change.after.starts_with('[') &&
                         !change.after.starts_with('{');
  return !is_simple || is_same_place(change.location, reference.location);
}

// The params behind a changed parameter of a stage.
std::vector<Change::Reason> changed_params(const Change& change, const Record& before,
                                           const std::vector<ParamReference>& references) {
  std::vector<Change::Reason> changed;
  for (const ParamReference& reference : references) {
    for (const Fact& old : before.references) {
      if (old.name != reference.name || old.value == reference.value) continue;
      if (!is_through(change, reference)) continue;
      changed.push_back(
          {fmt::format("{}: {}", reference.name, difference(old.value, reference.value)),
           reference.location});
    }
  }
  return changed;
}

// Where the fact is written down. A file that only the command names is in no list.
SourceLocation place_of_fact(const SourcedFact& sourced) {
  const bool is_found =
      sourced.kind == FactKind::kFile && std::ranges::any_of(sourced.files, &SeenFile::is_found);
  return is_found ? SourceLocation() : sourced.location;
}

// The members of a list: item -> contents.
std::map<std::string, std::string> members_of(const std::string& text) {
  std::map<std::string, std::string> members;
  for (const std::string& line : split(text, '\n')) {
    const std::size_t space = line.find(' ');
    if (space != std::string::npos) members[line.substr(space + 1)] = line.substr(0, space);
  }
  return members;
}

std::string changed_members(const Change& change, Store& store) {
  const auto read = [&](const std::string& value) {
    const std::optional<Digest> list = list_digest(value);
    return list ? store.files().read(store.layout().list(*list)).value_or("") : "";
  };
  const auto before = members_of(read(change.before));
  const auto after = members_of(change.text ? *change.text : read(change.after));
  if (before.empty() || after.empty()) return "";
  std::vector<std::string> changes;
  for (const auto& [item, contents] : after) {
    const auto old = before.find(item);
    if (old == before.end())
      changes.push_back(item + " (new)");
    else if (old->second != contents)
      changes.push_back(item);
  }
  for (const auto& [item, contents] : before) {
    if (!after.contains(item)) changes.push_back(item + " (gone)");
  }
  if (changes.empty()) return "\n    order of the items";
  return "\n    items that changed: " + first_of(changes, 8);
}

}  // namespace

std::vector<Change> compare(const Record& before, const std::vector<SourcedFact>& after,
                            const std::vector<ParamReference>& references) {
  std::map<std::string, std::string> old;
  for (const Fact& fact : before.facts) old[fact.name] = fact.value;
  std::vector<Change> changes;
  for (const SourcedFact& sourced : after) {
    const auto found = old.extract(sourced.fact.name);
    const std::string value = found ? found.mapped() : "";
    if (found && value == sourced.fact.value) continue;
    changes.push_back({sourced.kind, sourced.fact.name, value, sourced.fact.value,
                       place_of_fact(sourced), sourced.upstream});
    changes.back().text = sourced.text;
  }
  for (const auto& [name, value] : old)
    changes.push_back({fact_kind(name), name, value, "", {}, ""});
  for (Change& change : changes) {
    if (change.kind == FactKind::kParam)
      change.because = changed_params(change, before, references);
  }
  return changes;
}

std::vector<Change> compare_stage(const Record& before, const std::vector<SourcedFact>& after,
                                  const StageSpec& stage) {
  std::vector<Change> changes = compare(before, after, stage.references);
  if (!stage.type || !stage.type->is_declared()) return changes;
  for (Change& change : changes) {
    // A default has the place of the parameters as a whole (Schema::resolve).
    if (change.kind == FactKind::kParam && is_same_place(change.location, stage.params.location))
      change.location = stage.type->declared;
  }
  return changes;
}

std::string brief(const Change& change) {
  if (!change.because.empty()) {
    const std::size_t more = change.because.size() - 1;
    return change.because[0].text + (more > 0 ? fmt::format(" and {} more params", more) : "");
  }
  if (change.kind == FactKind::kInput)
    return change.after.empty() ? change.fact + " is gone"
                                : fmt::format("{} changed (from {})", change.fact, change.upstream);
  if (is_of_provenance(change)) return "stages it rests on were made anew";
  if (change.before.empty()) return change.fact + " is new";
  if (change.after.empty()) return change.fact + " is gone";
  if (is_content(change)) return change.fact + " changed";
  return fmt::format("{}: {}", change.fact, difference(change));
}

std::string detailed(const Change& change, Store& store) {
  std::string text = fmt::format(
      "{}: {}", change.fact,
      is_of_provenance(change)
          ? "stages it rests on were made anew, or are called or set otherwise than before"
          : difference(change));
  for (const Change::Reason& reason : change.because)
    text += fmt::format("\n    through {}, at {}", reason.text, reason.location.text());
  if (!change.upstream.empty()) text += fmt::format("\n    from {}", change.upstream);
  if (change.location.source) text += fmt::format("\n    at {}", change.location.text());
  return is_of_provenance(change) ? text : text + changed_members(change, store);
}

}  // namespace headway
