// `headway export`: results as plain files, with their provenance.
#include <fmt/format.h>

#include <map>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"
#include "lib/run/facts.h"
#include "lib/store/housekeeping.h"
#include "lib/store/pipeline_state.h"

namespace headway {
namespace {

struct ExportArguments : PipelineArguments {
  std::string folder;
  std::vector<std::string> files;
};

// What the file says of a stage.
struct Declared {
  std::vector<std::string> places;  // in a sweep: the folders of the trials that show it
  Json inputs = Json::object();     // what each is connected to
};

// By stage; nothing if the file cannot be read.
std::map<std::string, Declared> declared_stages(const KnownPipeline& known,
                                                const PipelineState& state, Store& store,
                                                CommandLine& line) {
  std::map<std::string, Declared> stages;
  try {
    const PipelineSpec pipeline =
        load_known(known, display_path(state.file()), store.layout(), line);
    for (const StageSpec& stage : pipeline.stages) {
      Declared& declared = stages[stage.name];
      declared.places = stage.places;
      for (const InputSpec& input : stage.inputs) {
        for (const Source& source : input.sources)
          declared.inputs[input.port].push_back(describe(pipeline, source));
      }
    }
  } catch (const Error&) {
  }
  return stages;
}

// Copies the current results of pipelines, each with a provenance.json.
class Exporter {
 public:
  Exporter(Store& store, const Path& folder, CommandLine& line)
      : store_(store), files_(line.files), folder_(folder), line_(line) {}

  void add(const KnownPipeline& known) {
    const PipelineState state(files_, store_.layout(), known.name, known.variant);
    target_ = folder_ / known.label();
    Json stages = Json::object();
    const auto declared = declared_stages(known, state, store_, line_);
    for (const auto& [stage, last] : state.all()) {
      if (last->good_key.empty()) continue;
      if (last->status != StageStatus::kDone) {
        leave_out(stage, "its last result does not belong to the others; run it again");
        continue;
      }
      std::string damage;
      const std::optional<Record> record = store_.find(last->good_key, &damage);
      if (!damage.empty()) leave_out(stage, damage);
      if (!record) continue;
      const auto found = declared.find(stage);
      const bool has_places = found != declared.end() && !found->second.places.empty();
      stages[stage] =
          add_stage(stage, *record, has_places ? found->second.places : std::vector{stage});
      if (found != declared.end()) stages[stage]["inputs"] = found->second.inputs;
    }
    const Json provenance = {{"pipeline", known.name},
                             {"variant", known.variant},
                             {"file", state.file()},
                             {"arguments", state.arguments()},
                             {"stages", std::move(stages)}};
    files_.make_directories(target_);
    files_.replace(target_ / "provenance.json", to_lines(provenance, 1) + "\n");
  }

  std::size_t count() const { return count_; }
  bool is_complete() const { return is_complete_; }

 private:
  Json add_stage(const std::string& stage, const Record& record,
                 const std::vector<std::string>& folders) {
    Json outputs = Json::object();
    for (const RecordedOutput& output : record.outputs) {
      const std::string file = folders.front() + "/" + output.file;
      if (!copy(stage, output, target_ / file)) continue;
      ++count_;
      outputs[output.name] = {{"file", file}, {"sha256", output.object.digest.hex()}};
    }
    // What trials share is copied once; the others link to it.
    for (std::size_t i = 1; i < folders.size(); ++i) {
      const Path place = target_ / folders[i];
      files_.make_directories(place.parent_path());
      files_.make_link((target_ / folders.front()).lexically_relative(place.parent_path()), place);
    }
    Json facts = Json::object();
    for (const Fact& fact : record.facts) facts[fact.name] = fact.value;
    return {{"key", record.key.hex()},     {"facts", facts},
            {"outputs", outputs},          {"seconds", record.seconds},
            {"finished", record.finished}, {"run", record.run},
            {"headway", record.version},   {"origin", record.origin}};
  }

  // Checks the copy: the object may be damaged since it was last read.
  bool copy(const std::string& stage, const RecordedOutput& output, const Path& place) {
    files_.make_directories(place.parent_path());
    copy_tree(files_, store_.path_of(output.object), place);
    const std::optional<ContentInfo> content = store_.digests().rehash_file(place);
    if (!content || content->digest != output.object.digest) {
      files_.remove(place);
      leave_out(stage, fmt::format("output '{}' is damaged; `headway verify` removes it, and the "
                                   "next run makes it again",
                                   output.name));
      return false;
    }
    if (output.object.is_directory) warn_of_links_out(place, "");
    return true;
  }

  // In a copy, a link out of the folder leads elsewhere or nowhere.
  void warn_of_links_out(const Path& folder, const Path& inner) {
    for (const std::string& name : files_.list(folder / inner)) {
      const Path path = folder / inner / name;
      const std::optional<FileInfo> info = files_.info(path);
      if (info && info->is_directory()) warn_of_links_out(folder, inner / name);
      if (!info || info->kind != FileInfo::Kind::kSymlink) continue;
      const Path target = files_.read_link(path).value_or("");
      const Path reached = (inner / target).lexically_normal();
      if (target.is_absolute() || *reached.begin() == "..")
        complain("{} is a link that leads out of its folder: {}\n", display_path(path),
                 target.string());
    }
  }

  void leave_out(const std::string& stage, const std::string& why) {
    complain("{}: left out: {}\n", stage, why);
    is_complete_ = false;
  }

  Store& store_;
  FileSystem& files_;
  const Path folder_;
  CommandLine& line_;
  Path target_;  // of the pipeline that is being added
  std::size_t count_ = 0;
  bool is_complete_ = true;
};

int export_results(const ExportArguments& arguments, CommandLine& line) {
  PipelineArguments first = arguments;
  if (!arguments.files.empty()) first.file = arguments.files.front();
  Store store(line.files, first.outputs_path());
  const Path folder = arguments.folder;
  if (!line.files.list(folder).empty())
    throw UsageError("{} is not empty; give a new folder", folder.string());
  std::vector<KnownPipeline> wanted;
  for (const std::string& file : arguments.files) {
    PipelineArguments one = arguments;
    one.file = file;
    const PipelineSpec spec = load(one, line);
    wanted.push_back({spec.name, spec.variant, 0});
  }
  if (arguments.files.empty()) wanted = known_pipelines(line.files, store.layout());
  const std::string part = sweep_label(arguments.sweep, arguments.variant);
  if (!arguments.sweep.empty())
    std::erase_if(wanted, [&](const KnownPipeline& known) { return known.variant != part; });
  if (wanted.empty())
    throw UsageError("no pipeline has run yet with outputs in {}",
                     display_path(store.layout().outputs()));
  const std::unique_ptr<FileLock> lock = lock_store(store, LockMode::kShared);
  if (!lock) throw Error("gc is working on this store; try again when it has ended");
  Exporter exporter(store, folder, line);
  for (const KnownPipeline& known : wanted) exporter.add(known);
  say("{} in {}\n", count_of(exporter.count(), "file"), folder.string());
  return exporter.is_complete() ? 0 : 1;
}

}  // namespace

void add_export(CLI::App& app, CommandLine& line) {
  auto [verb, arguments] =
      add_verb(app, line, "export", "plain copies of results, with their provenance",
               "  headway export results/                 all pipelines\n"
               "  headway export results/ p.yaml --variant wide\n",
               export_results);
  verb.add_option("DIR", arguments.folder, "a new folder")->required();
  verb.add_option("PIPELINE", arguments.files, "pipeline files (default: all that have run)");
  arguments.add_options(verb);
}

}  // namespace headway
