#include "lib/spec/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "lib/base/text.h"
#include "lib/spec/graph.h"
#include "lib/spec/matrix.h"
#include "lib/spec/named_files.h"
#include "lib/spec/outputs.h"
#include "lib/spec/references.h"
#include "lib/spec/settings.h"
#include "lib/spec/variation.h"

namespace headway {
namespace {

constexpr std::size_t kMostStages = 100'000;
const std::vector<std::string> kStageKeys = {"uses",    "with",   "in",        "outs",
                                             "needs",   "matrix", "resources", "timeout",
                                             "retries", "expect", "print"};

// Whether a list, or a list of lists, names nothing.
bool is_empty_list(const Value& value) {
  return value.list() && std::ranges::all_of(*value.list(), is_empty_list);
}

// Reads the stages of a variation into a PipelineSpec: first all stages, then their connections,
// because a stage may refer to a later one.
class StageReader {
 public:
  // Appends to the stages that the pipeline has.
  StageReader(const Variation& variation, const StageRegistry& registry, FileSystem& files,
              InterpolationBudget& budget, PipelineSpec& pipeline, Diagnostics& diagnostics)
      : first_(pipeline.stages.size()),
        variation_(variation),
        registry_(registry),
        budget_(budget),
        pipeline_(pipeline),
        diagnostics_(diagnostics),
        files_(files),
        named_files_(pipeline.folder, pipeline.file.parent_path(), files) {}

  void read() {
    for (const MapEntry& entry : *variation_.stages->map()) read_family(entry);
    connect();
  }

 private:
  // A stage's `in` and `needs`, kept until all stages are known.
  struct Links {
    Value in;
    Value needs;
  };

  template <class... Values>
  void complain(const SourceLocation& location, const StageSpec& stage,
                fmt::format_string<Values...> format, Values&&... values) {
    diagnostics_.add(location, "{}: {}", stage.subject(),
                     fmt::format(format, std::forward<Values>(values)...));
  }

  void read_family(const MapEntry& entry) {
    StageSpec stage;
    stage.family = stage.name = entry.key;
    stage.location = entry.key_location;
    if (!is_stage_name(entry.key)) {
      diagnostics_.add(entry.key_location,
                       "'{}' is not a stage's name: use letters, digits, '_' and '-'",
                       printable(entry.key));
      stage.family = stage.name = printable(entry.key);
    }
    if (!entry.value.map())
      return complain(entry.value.location, stage, "a stage is a map with 'uses', got {}",
                      entry.value.describe());
    check_keys(entry.value, kStageKeys, stage.subject(), diagnostics_);
    read_type(entry.value, stage);
    const Value* matrix = entry.value.find("matrix");
    if (!matrix) {
      add_stage(entry.value, nullptr, std::move(stage));
      return;
    }
    const Value axes = interpolate(*matrix, {variation_.params, nullptr, budget_, diagnostics_});
    const std::size_t room = kMostStages - std::min(kMostStages, pipeline_.stages.size());
    for (MatrixItem& item : expand_matrix(axes, stage.subject(), room, diagnostics_)) {
      StageSpec one = stage;
      one.item = item.name;
      one.axes = std::move(item.axes);
      one.name = stage.family + "@" + item.name;
      add_stage(entry.value, &item.values, std::move(one));
    }
  }

  void read_type(const Value& declaration, StageSpec& stage) {
    const Value* uses = declaration.find("uses");
    if (!uses)
      return complain(stage.location, stage,
                      "'uses' is missing: which stage type is it? (`headway stages` lists them)");
    if (!uses->text())
      return complain(uses->location, stage, "'uses' expects a stage type, got {}",
                      uses->describe());
    stage.type = pipeline_.types->find(*uses->text());
    if (!stage.type) stage.type = registry_.find(*uses->text());
    if (stage.type) return;
    if (is_path(*uses->text()) && !diagnostics_.empty()) return;  // the file's mistakes say enough
    std::vector<std::string> names = registry_.names();
    std::ranges::copy(pipeline_.types->names(), std::back_inserter(names));
    complain(uses->location, stage, "unknown stage type '{}'{}", printable(*uses->text()),
             did_you_mean(*uses->text(), names));
  }

  void add_stage(const Value& declaration, const Value* matrix, StageSpec stage) {
    if (pipeline_.stages.size() >= kMostStages) {
      throw PipelineError("{}: a pipeline may have at most {} stages", stage.location.text(),
                          kMostStages);
    }
    // `noted`: for what enters the key.
    const InterpolationScope scope{variation_.params, matrix, budget_, diagnostics_};
    const InterpolationScope noted{variation_.params, matrix, budget_, diagnostics_,
                                   &stage.references};
    const auto get = [&](const char* key, const InterpolationScope& in) {
      const Value* value = declaration.find(key);
      return value ? interpolate(*value, in) : Value{{}, stage.location};
    };
    read_outputs(get("outs", noted), stage);
    const SettingReader settings(stage.subject(), diagnostics_);
    const Value resources = get("resources", scope);
    take_resources(resources, settings, stage);
    if (const Value timeout = get("timeout", scope); !timeout.is_null())
      stage.timeout = settings.time(timeout, "timeout").value_or(0);
    if (stage.resources.time > 0 && stage.resources.time < stage.timeout)
      complain(resources.find("time")->location, stage,
               "'time': the scheduler would end the stage after {}, before its timeout of {}",
               format_duration(stage.resources.time), format_duration(stage.timeout));
    if (const Value retries = get("retries", scope); !retries.is_null())
      stage.retries = settings.integer(retries, "retries", 0, 1000).value_or(0);
    if (declaration.find("expect")) read_expectations(get("expect", scope), stage);
    if (declaration.find("print") && stage.type) read_printings(get("print", scope), stage);
    Links links{get("in", scope), get("needs", scope)};
    Value with = get("with", noted);
    if (const auto changes = variation_.changes.find(stage.family);
        changes != variation_.changes.end() && (with.map() || with.is_null())) {
      for (Override change : changes->second) {
        change.value = interpolate(change.value, noted);
        apply_to_stage(with, change, stage.subject(), diagnostics_);
        stage.changed.push_back(change.path);
      }
    }
    if (stage.type) read_params(with, links.in, stage);
    pipeline_.stages.push_back(std::move(stage));
    links_.push_back(std::move(links));
  }

  void read_params(const Value& with, const Value& in, StageSpec& stage) {
    if (!with.map() && !with.is_null())
      return complain(with.location, stage, "'with' must be a map of parameters, got {}",
                      with.describe());
    const std::size_t before = diagnostics_.count();
    stage.params = stage.type->params->resolve(
        with, stage.subject(), with.is_null() ? stage.location : with.location, diagnostics_);
    check_files(*stage.type->params, stage.params, stage);
    if (stage.type->file_words && diagnostics_.count() == before) find_code(stage);
    if (stage.type->check && diagnostics_.count() == before) {
      stage.type->check(
          {stage.subject(), stage.params, keys_of(in), stage.outputs, pipeline_.folder},
          diagnostics_);
    }
  }

  void find_code(StageSpec& stage) {
    const Path& folder = stage.type->folder;
    NamedFiles& nearby = stage.type->is_declared()
                             ? of_types_.try_emplace(folder, folder, folder, files_).first->second
                             : named_files_;
    for (std::string& word : stage.type->file_words(stage.params)) {
      if (nearby.is_file_nearby(word)) stage.code.push_back(std::move(word));
    }
  }

  // Files named by parameters must exist before anything runs.
  void check_files(const Schema& schema, const Value& params, const StageSpec& stage) {
    for (const Field& field : schema.fields()) {
      const Value* value = params.find(field.name);
      if (!value || field.fixed) continue;
      if (field.group) check_files(*field.group, *value, stage);
      if (field.type != FieldType::kFile) continue;
      for (const Value& file : items_of(*value)) {
        if (!file.text() || file.text()->empty()) continue;
        const std::string problem = named_files_.problem(*file.text());
        if (!problem.empty())
          complain(file.location, stage, "parameter '{}': {}", field.name, problem);
      }
    }
  }

  void read_outputs(const Value& outs, StageSpec& stage) {
    if (stage.type && !stage.type->free_outputs) {
      stage.outputs = stage.type->outputs;
      if (!outs.is_null())
        complain(outs.location, stage,
                 "stage type '{}' has outputs of its own; 'outs' does not apply", stage.type->name);
      return;
    }
    if (outs.is_null()) return;
    if (!outs.map())
      return complain(outs.location, stage, "'outs' is a map from names to files, got {}",
                      outs.describe());
    for (const MapEntry& entry : *outs.map()) {
      if (check_name(entry, "an output", stage))
        add_output(entry.key, entry.key_location, entry.value, stage.subject(), stage.outputs,
                   diagnostics_);
    }
  }

  void take_resources(const Value& resources, const SettingReader& settings, StageSpec& stage) {
    if (resources.is_null()) return;
    if (!resources.map())
      return complain(resources.location, stage,
                      "'resources' is a map with cpus, memory, time and gpus, got {}",
                      resources.describe());
    check_keys(resources, {"cpus", "memory", "time", "gpus"}, stage.subject() + ": resources",
               diagnostics_);
    stage.resources = read_resources(resources, settings).over(stage.resources);
  }

  void read_expectations(const Value& expect, StageSpec& stage) {
    stage.expectations = parse_expectations(expect, stage.subject(), diagnostics_);
    if (!stage.type) return;
    if (!stage.has_metrics())
      complain(expect.location, stage, "'expect' needs an output named 'metrics'");
    for (const MapEntry& entry : entries_of(expect)) {
      if (!stage.type->declares_metric(entry.key))
        complain(entry.key_location, stage, "'expect': {} has {}", stage.type->name,
                 stage.type->no_metric_text(entry.key));
    }
  }

  void read_printings(const Value& print, StageSpec& stage) {
    const auto add = [&](const Value& name, std::vector<std::string> columns) {
      if (!name.text())
        return complain(name.location, stage, "'print' expects the name of an output, got {}",
                        name.describe());
      const OutputId output = stage.find_output(*name.text());
      if (!output.exists())
        return complain(name.location, stage, "'print': no output '{}'{}", printable(*name.text()),
                        did_you_mean(*name.text(), texts_of(stage.outputs, &Output::name)));
      stage.printings.push_back({stage.output(output).file, std::move(columns)});
    };
    if (!print.map()) {
      for (const Value& name : items_of(print)) add(name, {});
    }
    for (const MapEntry& entry : entries_of(print))
      add(Value{entry.key, entry.key_location}, read_columns(entry.value, stage));
  }

  std::vector<std::string> read_columns(const Value& columns, const StageSpec& stage) {
    if (columns.is_null()) return {};  // `table:` alone
    std::vector<std::string> names;
    for (const Value& column : items_of(columns)) {
      if (column.text()) names.push_back(*column.text());
    }
    if (columns.list() && names.size() == columns.list()->size()) return names;
    complain(columns.location, stage, "'print' expects a list of columns, got {}",
             columns.describe());
    return {};
  }

  void connect() {
    References references(pipeline_, diagnostics_, pipeline_.is_merged);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      StageSpec& stage = pipeline_.stages[first_ + i];
      connect_inputs(links_[i].in, stage, references);
      const Value& needs = links_[i].needs;
      if (needs.is_null()) continue;
      for (const Value& need : items_of(needs)) {
        if (const auto source = references.resolve_need(need, stage.subject()))
          stage.needs.push_back(*source);
      }
    }
  }

  void connect_inputs(const Value& in, StageSpec& stage, References& references) {
    if (!in.map() && !in.is_null())
      return complain(in.location, stage, "'in' is a map from inputs to stages or files, got {}",
                      in.describe());
    const bool declared = stage.type && !stage.type->free_inputs;
    for (const MapEntry& entry : entries_of(in)) {
      if (!check_port(entry, stage)) continue;
      stage.inputs.push_back(
          {entry.key, entry.key_location,
           references.resolve_input(entry.value, stage.subject(), entry.key, named_files_)});
      const InputSpec& input = stage.inputs.back();
      if (is_empty_list(entry.value))
        complain(entry.value.location, stage, "input '{}' is connected to nothing", entry.key);
      if (declared && !input.sources.empty() && !input.is_single() &&
          !stage.type->find_input(entry.key)->takes_many)
        complain(entry.value.location, stage, "input '{}' takes one artifact, not several",
                 entry.key);
    }
    if (!declared) return;
    for (const Port& port : stage.type->inputs) {
      if (port.is_required && !in.find(port.name)) {
        complain(in.is_null() ? stage.location : in.location, stage,
                 "input '{}' is not connected{}", port.name,
                 port.help.empty() ? "" : " (" + port.help + ")");
      }
    }
  }

  bool check_port(const MapEntry& entry, const StageSpec& stage) {
    if (!stage.type || stage.type->free_inputs) return check_name(entry, "an input", stage);
    if (stage.type->find_input(entry.key)) return true;
    complain(entry.key_location, stage, "stage type '{}' has no input '{}'{}", stage.type->name,
             printable(entry.key),
             did_you_mean(entry.key, texts_of(stage.type->inputs, &Port::name)));
    return false;
  }

  // Whether the entry may be called so; adds a mistake if not.
  bool check_name(const MapEntry& entry, const char* what, const StageSpec& stage) {
    if (is_stage_name(entry.key)) return true;
    complain(entry.key_location, stage, "'{}' is not {}'s name: use letters, digits, '_' and '-'",
             printable(entry.key), what);
    return false;
  }

  const std::size_t first_;
  const Variation& variation_;
  const StageRegistry& registry_;
  InterpolationBudget& budget_;
  PipelineSpec& pipeline_;
  Diagnostics& diagnostics_;
  FileSystem& files_;
  NamedFiles named_files_;
  std::map<Path, NamedFiles> of_types_;  // by the folder of a declared type
  std::vector<Links> links_;
};

}  // namespace

PipelineSpec pipeline_without_stages(const PipelineFile& file, const LoadOptions& options) {
  PipelineSpec pipeline;
  pipeline.name = file.name;
  pipeline.file = file.file;
  VariationName variation = variation_name(file, options);
  pipeline.variant = std::move(variation.text);
  pipeline.arguments = std::move(variation.arguments);
  pipeline.digests = file.digests;
  pipeline.folder = folder_of(file.file);
  pipeline.types = file.types;
  pipeline.variants = keys_of(file.variants);
  for (const MapEntry& section : *file.extra.map()) {
    for (const MapEntry& entry : *section.value.map()) pipeline.other_folders.push_back(entry.key);
  }
  return pipeline;
}

PipelineSpec load_variation(const PipelineFile& file, const LoadOptions& options,
                            const StageRegistry& registry, FileSystem& files) {
  Diagnostics diagnostics = file.diagnostics;
  InterpolationBudget budget;
  Variation variation = vary(file, options, budget, diagnostics);
  PipelineSpec pipeline = pipeline_without_stages(file, options);
  for (const std::string& name : file.types->names()) {
    if (registry.find(name))
      diagnostics.add(file.types->find(name)->declared,
                      "'{}' is a stage type of Headway; give yours another name", name);
  }
  StageReader(variation, registry, files, budget, pipeline, diagnostics).read();
  find_cycles(pipeline, diagnostics);
  pipeline.params = std::move(variation.params);
  diagnostics.throw_if_any();
  return pipeline;
}

void append_stages(const Value& stages, const StageRegistry& registry, FileSystem& files,
                   PipelineSpec& pipeline, Diagnostics& diagnostics) {
  InterpolationBudget budget;
  const Variation variation{pipeline.params, &stages, {}};
  StageReader(variation, registry, files, budget, pipeline, diagnostics).read();
  find_cycles(pipeline, diagnostics);
}

std::vector<StageId> select_stages(PipelineSpec& pipeline, const std::string& name) {
  Diagnostics unused;
  return References(pipeline, unused).select(name);
}

}  // namespace headway
