#include "lib/report/default_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
namespace headway {
namespace {

// A figure's SVG is shown, but not its .gp and .dat; models are for programs too, but attention
// maps are for the explorer.
bool is_for_people(const Output& output) {
  static constexpr std::array kExtensions = {".svg", ".csv", ".json", ".md", ".txt"};
  const std::string extension = Path(output.file).extension().string();
  return output.is_for_pages || (!output.is_for_programs &&
                                 std::ranges::find(kExtensions, extension) != kExtensions.end());
}

bool is_report(const StageSpec& stage) {
  return stage.type && stage.type->name == kReportType;
}

std::string usual_input_name(const StageSpec& stage, const Output& output) {
  const auto count = std::count_if(stage.outputs.begin(), stage.outputs.end(), is_for_people);
  return count == 1 ? stage.family : stage.family + "-" + output.name;
}

// Stage 'a-b' and output 'b' of stage 'a' would get the same name: the second becomes 'a-b-2'.
std::string unused(std::string name, std::set<std::string>& used) {
  constexpr std::size_t kMostLetters = 90;  // the limit for names is 100
  if (name.size() > kMostLetters) name.resize(kMostLetters);
  const std::string wanted = name;
  for (int number = 2; !used.insert(name).second; ++number)
    name = fmt::format("{}-{}", wanted, number);
  return name;
}

const StageSpec* find_family(const PipelineSpec& pipeline, const std::string& name) {
  const auto found = std::ranges::find(pipeline.stages, name, &StageSpec::family);
  return found == pipeline.stages.end() ? nullptr : &*found;
}

const SourceLocation& default_location() {
  static const SourceLocation kLocation{SourceLocation::intern("the default report"), 0, 0};
  return kLocation;
}

Value text_value(std::string text) {
  return {std::move(text), default_location()};
}

Value list_of(const std::vector<std::string>& texts) {
  ValueList list;
  for (const std::string& text : texts) list.push_back(text_value(text));
  return {std::move(list), default_location()};
}

// The artifacts of an output, of all items of the stage's matrix that are not missing. Null if
// there are none.
Value sources_of(const PipelineSpec& pipeline, const StageSpec& stage, const std::string& output,
                 const std::vector<std::string>& missing) {
  std::vector<std::string> there;
  bool is_whole = true;
  for (const StageSpec& member : pipeline.stages) {
    if (member.family != stage.family) continue;
    const bool is_missing = std::ranges::count(missing, member.name) > 0;
    is_whole = is_whole && !is_missing;
    if (!is_missing) there.push_back(member.name + "." + output);
  }
  if (!is_whole) return there.empty() ? Value{{}, default_location()} : list_of(there);
  return text_value((stage.item.empty() ? stage.family : stage.family + "@*") + "." + output);
}

}  // namespace

std::vector<StageId> report_stages(const PipelineSpec& pipeline) {
  std::vector<StageId> reports;
  for (const StageId id : pipeline.stages.ids()) {
    const StageSpec& stage = pipeline.stages[id];
    if (is_report(stage) && stage.places.empty()) reports.push_back(id);
  }
  return reports;
}

std::string default_report_name(const PipelineSpec& pipeline) {
  // Parts of the pipeline may have their own reports, such as the trials of a sweep.
  const bool has_parts = !pipeline.own_command.empty();
  return has_parts && find_family(pipeline, "report") ? pipeline.own_command.front() + "-report"
                                                      : "report";
}

void add_default_report(PipelineSpec& pipeline, const StageRegistry& registry, FileSystem& files,
                        const InputName& input_name, const MissingResults& missing) {
  const std::string name = default_report_name(pipeline);
  if (const StageSpec* taken = find_family(pipeline, name))
    throw PipelineError(
        "{}: a stage is called '{}' but does not use stage type 'report'; rename "
        "it, or declare a report in the file",
        taken->location.text(), name);
  const SourceLocation& location = default_location();
  ValueMap inputs;
  std::string last_family;
  std::set<std::string> used;
  for (const StageSpec& stage : pipeline.stages) {
    if (!stage.type || is_report(stage) || !stage.places.empty() || stage.family == last_family)
      continue;
    last_family = stage.family;
    for (const Output& output : stage.outputs) {
      if (!is_for_people(output)) continue;
      const std::string input = input_name(stage, output).value_or(usual_input_name(stage, output));
      Value from = sources_of(pipeline, stage, output.name, missing.stages);
      if (input.empty() || from.is_null()) continue;
      inputs.push_back({unused(input, used), location, std::move(from)});
    }
  }
  if (inputs.empty())
    throw PipelineError(
        "{}: there is nothing to report: no stage makes a figure (.svg), a table "
        "(.csv), metrics (.json) or a text (.md, .txt)",
        pipeline.file.string());
  ValueMap stage;
  stage.push_back({"uses", location, text_value(kReportType)});
  stage.push_back({"in", location, {std::move(inputs), location}});
  ValueMap with;
  if (!missing.notes.empty()) with.push_back({"missing", location, list_of(missing.notes)});
  if (!missing.warnings.empty()) with.push_back({"warnings", location, list_of(missing.warnings)});
  if (!with.empty()) stage.push_back({"with", location, {std::move(with), location}});
  ValueMap stages;
  stages.push_back({name, location, {std::move(stage), location}});
  Diagnostics diagnostics;
  append_stages({std::move(stages), location}, registry, files, pipeline, diagnostics);
  diagnostics.throw_if_any();
}

}  // namespace headway
