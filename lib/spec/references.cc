#include "lib/spec/references.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "lib/base/text.h"
#include "lib/spec/item_selector.h"

namespace headway {
namespace {

// Whether this is the part after the @ of `stage@*` or `stage@*.output`.
bool is_all(std::string_view rest) {
  return rest == "*" || rest.starts_with("*.");
}

}  // namespace

References::References(PipelineSpec& pipeline, Diagnostics& diagnostics, bool over_variations)
    : pipeline_(pipeline), diagnostics_(diagnostics), over_variations_(over_variations) {
  for (const StageId id : pipeline.stages.ids()) {
    const StageSpec& stage = pipeline.stages[id];
    Family& family = families_[stage.family];
    family.members.push_back(id);
    const std::string item = stage.full_item();
    family.is_matrix = family.is_matrix || !item.empty();
    family.items.emplace(item, id);
  }
}

// How many variations differ in a stage depends on their values, but what reads it is written once.
// So behind the variations `stage` is allowed where all share one, and `stage@*` too.
bool References::is_shared_by_all(const Family& family) const {
  return over_variations_ && family.members.size() == 1 &&
         pipeline_.stages[family.members.front()].item.empty();
}

// Sorted, because a suggestion must not depend on hashing.
template <class Named>
std::vector<std::string> References::candidates(const Named& named) const {
  std::vector<std::string> names;
  if (suggestions_left_-- > 0) {
    for (const auto& [name, unused] : named) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

References::Parsed References::parse(const std::string& text) const {
  Parsed parsed;
  const std::size_t end = text.find_first_of("@.");
  parsed.family_name = text.substr(0, end);
  const auto found = families_.find(parsed.family_name);
  if (found == families_.end())
    throw Error("unknown stage '{}'{}", printable(parsed.family_name),
                did_you_mean(parsed.family_name, candidates(families_)));
  parsed.family = &found->second;
  if (end == std::string::npos || text[end] == '.') {
    if (end != std::string::npos) parsed.output = text.substr(end + 1);
    if (!parsed.family->is_matrix || is_shared_by_all(*parsed.family))
      parsed.stage = parsed.family->members.front();
    return parsed;
  }
  parse_item(text.substr(end + 1), parsed);
  return parsed;
}

void References::parse_item(const std::string& rest, Parsed& parsed) const {
  const bool selects = over_variations_ && ItemSelector::is_selector(rest);
  if (!parsed.family->is_matrix && !selects)
    throw Error("stage '{0}' has no matrix; write '{0}' without '@'", parsed.family_name);
  if (is_all(rest)) {
    parsed.selection = "*";
    if (rest.size() > 2) parsed.output = rest.substr(2);
    return;
  }
  // An item's name may have dots (lr@0.1.model): take the longest that exists.
  for (std::size_t cut = rest.size(); cut != std::string::npos;
       cut = cut == 0 ? std::string::npos : rest.rfind('.', cut - 1)) {
    const auto item = parsed.family->items.find(rest.substr(0, cut));
    if (item == parsed.family->items.end()) continue;
    parsed.stage = item->second;
    if (cut < rest.size()) parsed.output = rest.substr(cut + 1);
    return;
  }
  if (select_items(rest, parsed)) return;
  throw Error("stage '{}' has no matrix item '{}'{}", parsed.family_name, printable(rest),
              did_you_mean(rest, candidates(parsed.family->items)));
}

bool References::select_items(const std::string& rest, Parsed& parsed) const {
  if (!ItemSelector::is_selector(rest)) return false;
  // A value may have dots, as an item's name may.
  for (std::size_t cut = rest.size(); cut != std::string::npos && cut > 0;
       cut = rest.rfind('.', cut - 1)) {
    const ItemSelector selector(rest.substr(0, cut));
    std::vector<StageId> members;
    for (const StageId member : parsed.family->members) {
      if (selector.matches(pipeline_.stages[member])) members.push_back(member);
    }
    if (members.empty()) continue;
    if (!selector.is_many() && members.size() > 1)
      throw Error("{0}@{1} is {2} items: write {0}@{1},* for all of them", parsed.family_name,
                  printable(rest.substr(0, cut)), members.size());
    if (cut < rest.size()) parsed.output = rest.substr(cut + 1);
    if (selector.is_many()) {
      parsed.some = std::move(members);
      parsed.selection = rest.substr(0, cut);
    } else {
      parsed.stage = members.front();
    }
    return true;
  }
  std::vector<const StageSpec*> stages;
  for (const StageId member : parsed.family->members) stages.push_back(&pipeline_.stages[member]);
  const std::size_t star = rest.find('*');
  throw Error(
      "{}",
      ItemSelector(star == std::string::npos ? rest : rest.substr(0, star + 1)).why_none(stages));
}

References::Parsed References::parse(const Value& reference) const {
  if (!reference.text()) throw Error("expects a stage's name, got {}", reference.describe());
  return parse(*reference.text());
}

OutputId References::find_output(const StageSpec& stage, const std::string& output,
                                 const std::string& port) const {
  const std::vector<std::string> names = texts_of(stage.outputs, &Output::name);
  if (output.empty() && names.size() == 1) return OutputId(0);
  const OutputId found = stage.find_output(output.empty() ? port : output);
  if (found.exists()) return found;
  if (!stage.type && (output.empty() || names.empty())) return {};
  if (!output.empty())
    throw Error("stage '{}' has no output '{}'{}{}", stage.family, printable(output),
                did_you_mean(output, names),
                names.empty() ? "" : fmt::format(" (it has {})", join(names, ", ")));
  if (names.empty())
    throw Error("stage '{}' has no outputs; use 'needs' for order alone", stage.family);
  throw Error("stage '{0}' has several outputs: write {0}.{1}", stage.family,
              join(names, fmt::format(" or {}.", stage.family)));
}

FanInId References::fan_in(const Parsed& parsed, OutputId output) {
  const std::string selection = parsed.selection.empty() ? "*" : parsed.selection;
  const auto [found, is_new] = fan_ins_.emplace(
      std::pair(parsed.family_name + "@" + selection, output), pipeline_.fan_ins.next_id());
  if (is_new) {
    const bool varies = !pipeline_.stages[parsed.members().front()].places.empty();
    pipeline_.fan_ins.push_back(
        {parsed.family_name, selection, output, parsed.members(), over_variations_ && varies});
  }
  return found->second;
}

Source References::source_of(const Parsed& parsed, OutputId output,
                             const SourceLocation& location) {
  if (parsed.stage.exists()) return {.stage = parsed.stage, .output = output, .location = location};
  return {.fan_in = fan_in(parsed, output), .location = location};
}

std::vector<Source> References::resolve_input(const Value& reference, const std::string& subject,
                                              const std::string& port, NamedFiles& files) {
  std::vector<Source> sources;
  if (const ValueList* list = reference.list()) {
    for (const Value& item : *list)
      std::ranges::copy(resolve_input(item, subject, port, files), std::back_inserter(sources));
    return sources;
  }
  try {
    if (reference.text() && is_path(*reference.text())) {
      sources.push_back({.files = files.find(*reference.text()), .location = reference.location});
      return sources;
    }
    const Parsed parsed = parse(reference);
    if (!parsed.stage.exists() && parsed.selection.empty())
      throw Error("stage '{0}' is a matrix: write {0}@* for all of it or {0}@{1} for one",
                  parsed.family_name, pipeline_.stages[parsed.family->members.front()].full_item());
    const StageId example = parsed.stage.exists() ? parsed.stage : parsed.members().front();
    const OutputId output = find_output(pipeline_.stages[example], parsed.output, port);
    if (output.exists()) sources.push_back(source_of(parsed, output, reference.location));
  } catch (const Error& error) {
    diagnostics_.add(reference.location, "{}: input '{}': {}", subject, port, error.what());
  }
  return sources;
}

std::optional<Source> References::resolve_need(const Value& reference, const std::string& subject) {
  try {
    if (reference.text() && is_path(*reference.text()))
      throw Error("'{}' is a path; needs are about stages", printable(*reference.text()));
    const Parsed parsed = parse(reference);
    if (!parsed.output.empty())
      throw Error("'{}' names an output; needs are about stages", printable(*reference.text()));
    return source_of(parsed, {}, reference.location);
  } catch (const Error& error) {
    diagnostics_.add(reference.location, "{}: 'needs': {}", subject, error.what());
    return std::nullopt;
  }
}

std::vector<StageId> References::select(const std::string& name) const {
  try {
    const Parsed parsed = parse(name);
    if (!parsed.output.empty()) throw Error("'{}' names an output; give a stage", printable(name));
    return parsed.stage.exists() ? std::vector{parsed.stage} : parsed.members();
  } catch (const Error& error) {
    throw UsageError("{}: {}", pipeline_.file.string(), error.what());
  }
}

}  // namespace headway
