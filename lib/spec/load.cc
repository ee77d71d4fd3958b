#include "lib/spec/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/text.h"
#include "lib/spec/cycles.h"
#include "lib/spec/document.h"
#include "lib/spec/matrix.h"
#include "lib/spec/references.h"

namespace headway {
namespace {

constexpr std::size_t kMostStages = 100'000;
const std::vector<std::string> kStageKeys = {"uses",    "with",   "in",        "outs",
                                             "needs",   "matrix", "resources", "timeout",
                                             "retries", "expect", "print"};

bool is_stage_name(const std::string& name) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 100 && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), plain);
}

// Reads the stages of a document into a PipelineSpec: first all stages, then their connections,
// because a stage may refer to a later one.
class StageReader {
 public:
  // Appends to the stages that the pipeline has.
  StageReader(const Document& document, const StageRegistry& registry, FileSystem& files,
              InterpolationBudget& budget, PipelineSpec& pipeline, Diagnostics& diagnostics)
      : first_(pipeline.stages.size()),
        document_(document),
        registry_(registry),
        files_(files),
        budget_(budget),
        pipeline_(pipeline),
        diagnostics_(diagnostics) {}

  void read() {
    for (const MapEntry& entry : *document_.stages->map()) read_family(entry);
    connect();
  }

 private:
  // A stage's `in` and `needs`, kept until all stages are known.
  struct Links {
    Value in;
    Value needs;
  };

  void complain(const SourceLocation& location, const StageSpec& stage, const std::string& what) {
    diagnostics_.add(location, fmt::format("{}: {}", stage.subject(), what));
  }

  void read_family(const MapEntry& entry) {
    StageSpec stage;
    stage.family = stage.name = entry.key;
    stage.location = entry.key_location;
    if (!is_stage_name(entry.key)) {
      diagnostics_.add(entry.key_location,
                       fmt::format("'{}' is not a stage's name: use letters, digits, '_' and '-'",
                                   printable(entry.key)));
      stage.family = stage.name = printable(entry.key);
    }
    if (!entry.value.map()) {
      complain(entry.value.location, stage,
               fmt::format("a stage is a map with 'uses', got {}", entry.value.describe()));
      return;
    }
    check_keys(entry.value, kStageKeys, stage.subject(), diagnostics_);
    read_type(entry.value, stage);
    const Value* matrix = entry.value.find("matrix");
    if (!matrix) {
      add_stage(entry.value, nullptr, std::move(stage));
      return;
    }
    const Value axes =
        Interpolator(document_.params, nullptr, budget_, diagnostics_).apply(*matrix);
    const std::size_t room = kMostStages - std::min(kMostStages, pipeline_.stages.size());
    for (MatrixItem& item : expand_matrix(axes, stage.subject(), room, diagnostics_)) {
      StageSpec one = stage;
      one.item = item.name;
      one.name = stage.family + "@" + item.name;
      add_stage(entry.value, &item.values, std::move(one));
    }
  }

  void read_type(const Value& declaration, StageSpec& stage) {
    const Value* uses = declaration.find("uses");
    if (!uses || !uses->text()) {
      complain(uses ? uses->location : stage.location, stage,
               uses ? fmt::format("'uses' expects a stage type, got {}", uses->describe())
                    : "'uses' is missing: which stage type is it? (`headway stages` lists them)");
      return;
    }
    stage.type = registry_.find(*uses->text());
    if (!stage.type) {
      complain(uses->location, stage,
               fmt::format("unknown stage type '{}'{}", printable(*uses->text()),
                           did_you_mean(*uses->text(), registry_.names())));
    }
  }

  void add_stage(const Value& declaration, const Value* matrix, StageSpec stage) {
    if (pipeline_.stages.size() >= kMostStages) {
      throw PipelineError(fmt::format("{}: a pipeline may have at most {} stages",
                                      stage.location.text(), kMostStages));
    }
    const Interpolator interpolator(document_.params, matrix, budget_, diagnostics_);
    const Interpolator noting(document_.params, matrix, budget_, diagnostics_,
                              &stage.references);  // for what enters the key
    const auto get = [&](const char* key, const Interpolator* by = nullptr) {
      const Value* value = declaration.find(key);
      return value ? (by ? *by : interpolator).apply(*value) : Value{{}, stage.location};
    };
    read_outputs(get("outs", &noting), stage);
    read_resources(get("resources"), stage);
    read_timeout(get("timeout"), stage);
    read_retries(get("retries"), stage);
    if (declaration.find("expect")) read_expectations(get("expect"), stage);
    if (declaration.find("print") && stage.type) {
      stage.printings = parse_printings(get("print"), stage.outputs, stage.subject(), diagnostics_);
    }
    Links links{get("in"), get("needs")};
    Value with = get("with", &noting);
    if (const auto changes = document_.changes.find(stage.family);
        changes != document_.changes.end() && (with.map() || with.is_null())) {
      for (Override change : changes->second) {
        change.value = noting.apply(change.value);
        apply_to_stage(with, change, stage.subject(), diagnostics_);
        stage.changed.push_back(change.path);
      }
    }
    if (stage.type) read_params(with, links.in, stage);
    pipeline_.stages.push_back(std::move(stage));
    links_.push_back(std::move(links));
  }

  void read_params(const Value& with, const Value& in, StageSpec& stage) {
    if (!with.map() && !with.is_null()) {
      complain(with.location, stage,
               fmt::format("'with' must be a map of parameters, got {}", with.describe()));
      return;
    }
    const std::size_t before = diagnostics_.count();
    stage.params = stage.type->params->resolve(
        with, stage.subject(), with.is_null() ? stage.location : with.location, diagnostics_);
    check_files(*stage.type->params, stage.params, stage);
    if (stage.type->check && diagnostics_.count() == before) {
      stage.type->check(
          {stage.subject(), stage.params, keys_of(in), stage.outputs, pipeline_.folder},
          diagnostics_);
    }
  }

  // Files named by parameters must exist before anything runs.
  void check_files(const Schema& schema, const Value& params, const StageSpec& stage) {
    for (const Field& field : schema.fields()) {
      const Value* value = params.find(field.name);
      if (!value) continue;
      if (field.group) check_files(*field.group, *value, stage);
      if (field.type != FieldType::kFile) continue;
      const ValueList single{*value};
      for (const Value& file : value->list() ? *value->list() : single) {
        if (!file.text() || file.text()->empty()) continue;
        const std::string problem = file_problem(*file.text());
        if (!problem.empty())
          complain(file.location, stage, fmt::format("parameter '{}': {}", field.name, problem));
      }
    }
  }

  std::optional<FileInfo> info_behind_links(Path path) {
    constexpr int kMostLinks = 40;  // as the kernel
    std::optional<FileInfo> info = files_.info(path);
    for (int i = 0; i < kMostLinks && info && info->kind == FileInfo::Kind::kSymlink; ++i) {
      path = path.parent_path() / files_.read_link(path).value_or("");
      info = files_.info(path);
    }
    return info;
  }

  // Why a file cannot be read, as far as that shows without opening it; "" if it seems readable.
  std::string file_problem(const std::string& name) {
    const std::string shown = (pipeline_.file.parent_path() / name).string();
    try {
      const auto info = info_behind_links(pipeline_.folder / name);
      if (!info) return "no such file: " + shown;
      if (info->kind == FileInfo::Kind::kSymlink) return "a link that leads to itself: " + shown;
      if (info->kind == FileInfo::Kind::kOther) return "a device or pipe, not a file: " + shown;
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

  void read_outputs(const Value& outs, StageSpec& stage) {
    if (stage.type && !stage.type->free_outputs) {
      stage.outputs = stage.type->outputs;
      if (!outs.is_null())
        complain(outs.location, stage,
                 fmt::format("stage type '{}' has outputs of its own; 'outs' does not apply",
                             stage.type->name));
      return;
    }
    if (outs.is_null()) return;
    if (!outs.map()) {
      complain(outs.location, stage,
               fmt::format("'outs' is a map from names to files, got {}", outs.describe()));
      return;
    }
    for (const MapEntry& entry : *outs.map()) {
      if (!is_stage_name(entry.key)) {
        complain(entry.key_location, stage,
                 fmt::format("'{}' is not an output's name: use letters, digits, '_' and '-'",
                             printable(entry.key)));
      } else if (!entry.value.text()) {
        complain(entry.value.location, stage,
                 fmt::format("output '{}' expects a file's name, got {}", entry.key,
                             entry.value.describe()));
      } else {
        add_output(entry, stage);
      }
    }
  }

  void add_output(const MapEntry& entry, StageSpec& stage) {
    const std::string& text = *entry.value.text();
    const Path file = Path(text).lexically_normal();
    const bool leaves = file.is_absolute() || file.empty() || file == "." || *file.begin() == "..";
    if (leaves || text.find('\0') != std::string::npos || text.find('\n') != std::string::npos) {
      complain(entry.value.location, stage,
               fmt::format("output '{}': '{}' is not a file inside the stage's folder", entry.key,
                           printable(text)));
      return;
    }
    const std::string name =
        file.has_filename() ? file.string() : file.parent_path().string();  // "site/" is "site"
    for (const Output& other : stage.outputs) {
      if (other.file == name || name.starts_with(other.file + "/") ||
          other.file.starts_with(name + "/")) {
        complain(entry.value.location, stage,
                 fmt::format("outputs '{}' and '{}' overlap: '{}' and '{}'", other.name, entry.key,
                             other.file, name));
        return;
      }
    }
    stage.outputs.push_back({entry.key, name, "", entry.key_location});
  }

  void read_resources(const Value& resources, StageSpec& stage) {
    if (resources.is_null()) return;
    if (!resources.map()) {
      complain(
          resources.location, stage,
          fmt::format("'resources' is a map with cpus and memory, got {}", resources.describe()));
      return;
    }
    check_keys(resources, {"cpus", "memory"}, stage.subject() + ": resources", diagnostics_);
    if (const Value* cpus = resources.find("cpus")) {
      if (cpus->integer() && *cpus->integer() >= 1 && *cpus->integer() <= 4096) {
        stage.resources.cpus = static_cast<int>(*cpus->integer());
      } else {
        complain(cpus->location, stage,
                 fmt::format("'cpus' expects an integer of at least 1, got {}", cpus->describe()));
      }
    }
    if (const Value* memory = resources.find("memory")) {
      const std::optional<std::uint64_t> bytes =
          memory->is_scalar() ? parse_bytes(memory->plain()) : std::nullopt;
      if (bytes) {
        stage.resources.memory = *bytes;
      } else {
        complain(memory->location, stage,
                 fmt::format("'memory' expects a size such as 512MiB or 2GB, got {}",
                             memory->describe()));
      }
    }
  }

  void read_timeout(const Value& timeout, StageSpec& stage) {
    if (timeout.is_null()) return;
    const std::optional<double> seconds =
        timeout.is_scalar() ? parse_duration(timeout.plain()) : std::nullopt;
    if (seconds && *seconds > 0) {
      stage.timeout = *seconds;
    } else {
      complain(timeout.location, stage,
               fmt::format("'timeout' expects a time such as 30s, 5m or 1h30m, got {}",
                           timeout.describe()));
    }
  }

  void read_retries(const Value& retries, StageSpec& stage) {
    if (retries.is_null()) return;
    if (retries.integer() && *retries.integer() >= 0 && *retries.integer() <= 1000) {
      stage.retries = static_cast<int>(*retries.integer());
    } else {
      complain(retries.location, stage,
               fmt::format("'retries' expects an integer between 0 and 1000, got {}",
                           retries.describe()));
    }
  }

  void read_expectations(const Value& expect, StageSpec& stage) {
    stage.expectations = parse_expectations(expect, stage.subject(), diagnostics_);
    if (!stage.has_metrics() && stage.type)
      complain(expect.location, stage, "'expect' needs an output named 'metrics'");
  }

  void connect() {
    References references(pipeline_, diagnostics_, pipeline_.is_merged);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      StageSpec& stage = pipeline_.stages[first_ + i];
      connect_inputs(links_[i].in, stage, references);
      const Value& needs = links_[i].needs;
      if (needs.is_null()) continue;
      const ValueList single{needs};
      for (const Value& need : needs.list() ? *needs.list() : single) {
        for (const Source& source : references.resolve_need(need, stage.subject()))
          stage.needs.push_back(source);
      }
    }
  }

  void connect_inputs(const Value& in, StageSpec& stage, References& references) {
    if (!in.map() && !in.is_null()) {
      complain(in.location, stage,
               fmt::format("'in' is a map from inputs to stages, got {}", in.describe()));
      return;
    }
    const bool declared = stage.type && !stage.type->free_inputs;
    if (in.map()) {
      for (const MapEntry& entry : *in.map()) {
        if (declared ? !check_port(entry, stage) : !check_free_port(entry, stage)) continue;
        stage.inputs.push_back({entry.key, entry.key_location,
                                references.resolve_input(entry.value, stage.subject(), entry.key)});
        const auto& sources = stage.inputs.back().sources;
        if (entry.value.list() && entry.value.list()->empty())
          complain(entry.value.location, stage,
                   fmt::format("input '{}' is connected to nothing", entry.key));
        const bool many = sources.size() > 1 || (sources.size() == 1 && sources[0].fan_in >= 0);
        if (declared && many && !stage.type->find_input(entry.key)->takes_many) {
          complain(entry.value.location, stage,
                   fmt::format("input '{}' takes one artifact, not several", entry.key));
        }
      }
    }
    if (!declared) return;
    for (const Port& port : stage.type->inputs) {
      if (port.is_required && !in.find(port.name)) {
        complain(in.is_null() ? stage.location : in.location, stage,
                 fmt::format("input '{}' is not connected ({})", port.name, port.help));
      }
    }
  }

  bool check_port(const MapEntry& entry, const StageSpec& stage) {
    if (stage.type->find_input(entry.key)) return true;
    std::vector<std::string> names;
    for (const Port& port : stage.type->inputs) names.push_back(port.name);
    complain(entry.key_location, stage,
             fmt::format("stage type '{}' has no input '{}'{}", stage.type->name,
                         printable(entry.key), did_you_mean(entry.key, names)));
    return false;
  }

  bool check_free_port(const MapEntry& entry, const StageSpec& stage) {
    if (is_stage_name(entry.key)) return true;
    complain(entry.key_location, stage,
             fmt::format("'{}' is not an input's name: use letters, digits, '_' and '-'",
                         printable(entry.key)));
    return false;
  }

  const std::size_t first_;
  const Document& document_;
  const StageRegistry& registry_;
  FileSystem& files_;
  InterpolationBudget& budget_;
  PipelineSpec& pipeline_;
  Diagnostics& diagnostics_;
  std::vector<Links> links_;
};

}  // namespace

std::vector<std::string> other_folders_of(const PipelineFile& file) {
  std::vector<std::string> folders;
  for (const MapEntry& section : *file.extra.map()) {
    for (const MapEntry& entry : *section.value.map()) folders.push_back(entry.key);
  }
  return folders;
}

std::vector<std::string> arguments_of(const LoadOptions& options) {
  std::vector<std::string> arguments;
  if (!options.variant.empty()) arguments = {"--variant", options.variant};
  for (const std::string& set : options.sets) arguments.insert(arguments.end(), {"--set", set});
  return arguments;
}

PipelineSpec load_variation(const PipelineFile& file, const LoadOptions& options,
                            const StageRegistry& registry, FileSystem& files) {
  Diagnostics diagnostics = file.diagnostics;
  InterpolationBudget budget;
  Document document = vary(file, options, budget, diagnostics);
  PipelineSpec pipeline;
  pipeline.name = file.name;
  pipeline.variant = options.variant;
  pipeline.file = file.file;
  pipeline.arguments = arguments_of(options);
  pipeline.folder = folder_of(file.file);
  pipeline.variants = keys_of(file.variants);
  pipeline.other_folders = other_folders_of(file);
  StageReader(document, registry, files, budget, pipeline, diagnostics).read();
  find_cycles(pipeline, diagnostics);
  pipeline.params = std::move(document.params);
  diagnostics.throw_if_any();
  return pipeline;
}

PipelineSpec load_pipeline(const Path& file, const LoadOptions& options,
                           const StageRegistry& registry, FileSystem& files) {
  return load_variation(read_pipeline_file(file, files), options, registry, files);
}

void append_stages(const Value& stages, const StageRegistry& registry, FileSystem& files,
                   PipelineSpec& pipeline, Diagnostics& diagnostics) {
  InterpolationBudget budget;
  const Document document{pipeline.params, &stages, {}};
  StageReader(document, registry, files, budget, pipeline, diagnostics).read();
  find_cycles(pipeline, diagnostics);
}

std::vector<int> select_stages(PipelineSpec& pipeline, const std::string& name) {
  Diagnostics unused;
  return References(pipeline, unused).select(name);
}

}  // namespace headway
