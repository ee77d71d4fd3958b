#include "lib/spec/references.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/text.h"

namespace headway {
namespace {

std::vector<std::string> output_names(const StageSpec& stage) {
  std::vector<std::string> names;
  for (const Output& output : stage.outputs) names.push_back(output.name);
  return names;
}

// Whether this is the part after the @ of `stage@*` or `stage@*.output`.
bool is_all(std::string_view rest) {
  return rest == "*" || rest.starts_with("*.");
}

}  // namespace

References::References(PipelineSpec& pipeline, Diagnostics& diagnostics, bool over_variations)
    : pipeline_(pipeline), diagnostics_(diagnostics), over_variations_(over_variations) {
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const StageSpec& stage = pipeline.stages[i];
    Family& family = families_[stage.family];
    family.members.push_back(static_cast<int>(i));
    const std::string item = stage.full_item();
    family.is_matrix = family.is_matrix || !item.empty();
    family.items.emplace(item, static_cast<int>(i));
  }
}

// How many variations differ in a stage depends on their values, but what reads it is written once.
// So behind the variations `stage` is allowed where all share one, and `stage@*` too.
bool References::is_shared_by_all(const Family& family) const {
  return over_variations_ && family.members.size() == 1 &&
         pipeline_.stages[static_cast<std::size_t>(family.members.front())].item.empty();
}

bool References::parse(const std::string& text, Parsed& parsed, std::string& problem) const {
  const std::size_t end = text.find_first_of("@.");
  parsed.family_name = text.substr(0, end);
  const auto found = families_.find(parsed.family_name);
  if (found == families_.end()) {
    std::vector<std::string> names;
    if (suggestions_left_-- > 0) {
      for (const auto& [name, family] : families_) names.push_back(name);
    }
    std::sort(names.begin(), names.end());  // the suggestion must not depend on hashing
    problem = fmt::format("unknown stage '{}'{}", printable(parsed.family_name),
                          did_you_mean(parsed.family_name, names));
    return false;
  }
  parsed.family = &found->second;
  if (end == std::string::npos || text[end] == '.') {
    if (end != std::string::npos) parsed.output = text.substr(end + 1);
    if (!parsed.family->is_matrix || is_shared_by_all(*parsed.family))
      parsed.stage = parsed.family->members.front();
    return true;
  }
  if (!parsed.family->is_matrix && !(over_variations_ && is_all(text.substr(end + 1)))) {
    problem = fmt::format("stage '{0}' has no matrix; write '{0}' without '@'", parsed.family_name);
    return false;
  }
  // An item's name may have dots (lr@0.1.model): take the longest that exists.
  const std::string rest = text.substr(end + 1);
  if (is_all(rest)) {
    parsed.all = true;
    if (rest.size() > 2) parsed.output = rest.substr(2);
    return true;
  }
  for (std::size_t cut = rest.size();; cut = rest.rfind('.', cut - 1)) {
    if (cut == std::string::npos) break;
    if (const auto item = parsed.family->items.find(rest.substr(0, cut));
        item != parsed.family->items.end()) {
      parsed.stage = item->second;
      if (cut < rest.size()) parsed.output = rest.substr(cut + 1);
      return true;
    }
    if (cut == 0) break;
  }
  std::vector<std::string> items;
  if (suggestions_left_-- > 0) {
    for (const auto& [item, index] : parsed.family->items) items.push_back(item);
  }
  std::sort(items.begin(), items.end());
  problem = fmt::format("stage '{}' has no matrix item '{}'{}", parsed.family_name, printable(rest),
                        did_you_mean(rest, items));
  return false;
}

int References::find_output(const StageSpec& stage, const std::string& output,
                            const std::string& port, std::string& problem) const {
  const std::vector<std::string> names = output_names(stage);
  const auto index_of = [&](const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : static_cast<int>(found - names.begin());
  };
  if (!output.empty() && !stage.type && names.empty()) return -1;
  if (!output.empty()) {
    const int index = index_of(output);
    if (index < 0) {
      problem = fmt::format("stage '{}' has no output '{}'{}", stage.family, printable(output),
                            did_you_mean(output, names));
      if (!names.empty()) problem += fmt::format(" (it has {})", join(names, ", "));
    }
    return index;
  }
  if (names.size() == 1) return 0;
  if (const int same_name = index_of(port); same_name >= 0) return same_name;
  if (!stage.type) return -1;  // an unknown type, which is reported elsewhere
  problem =
      names.empty()
          ? fmt::format("stage '{}' has no outputs; use 'needs' for order alone", stage.family)
          : fmt::format("stage '{0}' has several outputs: write {0}.{1}", stage.family,
                        join(names, fmt::format(" or {}.", stage.family)));
  return -1;
}

int References::fan_in(const Parsed& parsed, int output) {
  const auto [found, is_new] = fan_ins_.emplace(std::pair(parsed.family_name, output),
                                                static_cast<int>(pipeline_.fan_ins.size()));
  if (is_new) {
    const int member = parsed.family->members.front();
    const bool varies = !pipeline_.stages[static_cast<std::size_t>(member)].places.empty();
    pipeline_.fan_ins.push_back(
        {parsed.family_name, output, parsed.family->members, over_variations_ && varies});
  }
  return found->second;
}

std::vector<Source> References::resolve_input(const Value& reference, const std::string& subject,
                                              const std::string& port) {
  if (const ValueList* list = reference.list()) {
    std::vector<Source> sources;
    for (const Value& item : *list) {
      for (Source& source : resolve_input(item, subject, port)) sources.push_back(source);
    }
    return sources;
  }
  const auto complain = [&](const std::string& what) {
    diagnostics_.add(reference.location, fmt::format("{}: input '{}': {}", subject, port, what));
    return std::vector<Source>();
  };
  if (!reference.text())
    return complain(fmt::format("expects a stage's name, got {}", reference.describe()));
  Parsed parsed;
  std::string problem;
  if (!parse(*reference.text(), parsed, problem)) return complain(problem);
  if (parsed.stage < 0 && !parsed.all) {
    return complain(fmt::format(
        "stage '{0}' is a matrix: write {0}@* for all of it or {0}@{1} for one", parsed.family_name,
        pipeline_.stages[static_cast<std::size_t>(parsed.family->members.front())].full_item()));
  }
  const int example = parsed.all ? parsed.family->members.front() : parsed.stage;
  const int output = find_output(pipeline_.stages[static_cast<std::size_t>(example)], parsed.output,
                                 port, problem);
  if (output < 0) return problem.empty() ? std::vector<Source>() : complain(problem);
  Source source;
  source.location = reference.location;
  if (parsed.all) {
    source.fan_in = fan_in(parsed, output);
  } else {
    source.stage = parsed.stage;
    source.output = output;
  }
  return {source};
}

std::vector<Source> References::resolve_need(const Value& reference, const std::string& subject) {
  const auto complain = [&](const std::string& what) {
    diagnostics_.add(reference.location, fmt::format("{}: 'needs': {}", subject, what));
    return std::vector<Source>();
  };
  if (!reference.text())
    return complain(fmt::format("expects a stage's name, got {}", reference.describe()));
  Parsed parsed;
  std::string problem;
  if (!parse(*reference.text(), parsed, problem)) return complain(problem);
  if (!parsed.output.empty())
    return complain(
        fmt::format("'{}' names an output; needs are about stages", printable(*reference.text())));
  Source source;
  source.location = reference.location;
  if (parsed.stage >= 0) {
    source.stage = parsed.stage;
  } else {
    source.fan_in = fan_in(parsed, -1);
  }
  return {source};
}

std::vector<int> References::select(const std::string& name) const {
  Parsed parsed;
  std::string problem;
  if (!parse(name, parsed, problem))
    throw UsageError(fmt::format("{}: {}", pipeline_.file.string(), problem));
  if (!parsed.output.empty())
    throw UsageError(fmt::format("{}: '{}' names an output; give a stage", pipeline_.file.string(),
                                 printable(name)));
  if (parsed.stage >= 0) return {parsed.stage};
  return parsed.family->members;
}

}  // namespace headway
