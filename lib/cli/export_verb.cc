// `headway export`: results as plain files, with their provenance.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/known_label.h"
#include "lib/cli/output.h"
#include "lib/cli/pipeline_status.h"
#include "lib/cli/project.h"
#include "lib/cli/verbs.h"
#include "lib/report/default_report.h"
#include "lib/run/facts.h"
#include "lib/spec/expectation.h"
#include "lib/store/housekeeping.h"
#include "lib/store/pipeline_state.h"
#include "lib/sweep/sweep_report.h"

namespace headway {
namespace {

struct ExportArguments : PipelineArguments {
  std::string folder;
  std::vector<std::string> files;
};

// What each input of a stage is connected to.
Json inputs_of(const PipelineSpec& pipeline, const StageSpec& stage) {
  Json inputs = Json::object();
  for (const InputSpec& input : stage.inputs) {
    for (const Source& source : input.sources)
      inputs[input.port].push_back(describe(pipeline, source));
  }
  return inputs;
}

// Copies what `status` calls fresh, each pipeline with a provenance.json. Names all the rest.
class Exporter {
 public:
  Exporter(Store& store, const Path& folder, CommandLine& line)
      : store_(store), files_(line.files), folder_(folder), line_(line) {}

  // From its file as it is now.
  void add(const KnownPipeline& known) {
    label_ = known.label();
    const Layout& layout = store_.layout();
    const std::string file = PipelineState(files_, layout, known.name, known.variant).file();
    if (file.empty()) return leave_out("", "its history is damaged, which the next run rewrites");
    if (!files_.exists(file))
      return leave_out("", fmt::format("its file {} is gone", display_path(file)));
    std::optional<PipelineSpec> pipeline;
    try {
      pipeline = load_known(known, display_path(file), layout, line_);
    } catch (const Error& error) {
      const std::string gone = gone_from_file(known, layout, line_);
      return leave_out("", gone.empty() ? error.what() : gone);
    }
    // With --set, it may be what the file says by itself now.
    if (pipeline->label() != known.label())
      return leave_out(
          "", fmt::format("with the file as it is now, it is the same as {}", pipeline->label()));
    add(*pipeline);
  }

  void add(const PipelineSpec& pipeline) {
    label_ = pipeline.label();
    target_ = folder_ / label_;
    PipelineStatus status;
    try {
      status = status_of(pipeline, store_);
    } catch (const Error& error) {  // a file that a parameter names is missing
      return leave_out("", error.what());
    }
    const PipelineState state(files_, store_.layout(), pipeline.name, pipeline.variant);
    const auto is_missing = [](const StageStanding& stage) {
      return stage.state == "stale" || stage.state == "never run";
    };
    if (state.all().empty() && std::ranges::all_of(status.stages, is_missing))
      return leave_out("", "it has not run yet");
    // A table over trials does without those that failed.
    does_without_failed_ =
        pipeline.is_merged && std::ranges::all_of(status.stages, [](const StageStanding& stage) {
          return stage.state == "fresh" || stage.state == "warning" || stage.state == "failed" ||
                 stage.words.starts_with("waits for ");
        });
    Json stages = add_stages(pipeline, status, state);
    add_others(pipeline, status, state, stages);
    if (stages.empty()) return;
    const std::string file = state.file();
    const Json provenance = {{"pipeline", pipeline.name},
                             {"variant", pipeline.variant},
                             {"file", file.empty() ? absolute_path(pipeline.file).string() : file},
                             {"arguments", file.empty() ? pipeline.arguments : state.arguments()},
                             {"stages", std::move(stages)}};
    files_.make_directories(target_);
    files_.replace(target_ / "provenance.json", to_lines(provenance, 1) + "\n");
  }

  std::size_t count() const { return count_; }
  bool is_complete() const { return is_complete_; }

 private:
  Json add_stages(const PipelineSpec& pipeline, const PipelineStatus& status,
                  const PipelineState& state) {
    std::map<std::string, const StageSpec*> declared;
    for (const StageSpec& stage : pipeline.stages) declared[stage.name] = &stage;
    Json stages = Json::object();
    for (const StageStanding& standing : status.stages) {
      const StageSpec& stage = *declared.at(standing.stage);
      const std::optional<Record> record = current_record(stage, standing, state.find(stage.name));
      if (!record) continue;
      Json added = add_stage(stage.name, *record,
                             stage.places.empty() ? std::vector{stage.name} : stage.places);
      added["inputs"] = inputs_of(pipeline, stage);
      stages[stage.name] = std::move(added);
    }
    return stages;
  }

  // Says so if there is none.
  std::optional<Record> current_record(const StageSpec& stage, const StageStanding& standing,
                                       const LastState& last) {
    if (does_without_failed_ && standing.words.starts_with("waits for ") && last &&
        last->status == StageStatus::kDone)
      return store_.find(last->good_key);
    const std::string words =
        standing.state + (standing.words.empty() ? "" : ": " + standing.words);
    const bool has_failed = standing.state == "failed";
    if (standing.state != "fresh" && standing.state != "warning" && !has_failed) {
      leave_out(stage.name, words);
      return std::nullopt;
    }
    std::string damage;
    const auto key = Digest::from_hex(standing.fields.value("key", ""));
    std::optional<Record> record = key ? store_.find(*key, &damage) : std::nullopt;
    if (has_failed && record) {  // a result that only misses its `expect` is current
      const std::string missed = unmet(stage.expectations, read_metrics(store_, *record)).failures;
      if (missed.empty())
        record = std::nullopt;
      else
        complain("{}: {}: misses its expectation: {}\n", label_, stage.name, missed);
    }
    if (!record) leave_out(stage.name, damage.empty() ? words : damage);
    return record;
  }

  // What the history has and the file has not: reports that `headway report` added, and stages
  // that were removed.
  void add_others(const PipelineSpec& pipeline, const PipelineStatus& status,
                  const PipelineState& state, Json& stages) {
    std::set<std::string> declared;
    for (const StageSpec& stage : pipeline.stages) declared.insert(stage.name);
    // A report that was added shows the last results of the history.
    const auto is_last = [&](const StageStanding& stage) {
      const LastState last = state.find(stage.stage);
      if (does_without_failed_ && stage.words.starts_with("waits for ")) return true;
      if (stage.state == "failed" && (!last || last->good_key.empty())) return true;
      return last && last->good_key.hex() == stage.fields.value("key", "");
    };
    const bool is_stale = !std::ranges::all_of(status.stages, is_last);
    const bool may_have_report = report_stages(pipeline).empty();
    for (const auto& [stage, last] : state.all()) {
      const bool has_failed = last->status == StageStatus::kFailed;
      if (declared.contains(stage) || (last->good_key.empty() && !has_failed)) continue;
      const bool is_report =
          may_have_report && (stage == default_report_name(pipeline) || stage == kDefaultFigure);
      if (!is_report) {
        const std::string& name = stage;  // clang 14 cannot capture part of a pair
        const bool is_kept =
            std::ranges::any_of(pipeline.kept_variations, [&](const std::string& variation) {
              return name.ends_with("@" + variation) || name.ends_with("," + variation);
            });
        leave_out(stage, !is_kept     ? "the file has no such stage now"
                         : has_failed ? "failed: " + last->message
                                      : "it belongs to a trial that failed");
        continue;
      }
      if (is_stale || last->status != StageStatus::kDone) {
        leave_out(stage, "stale: `headway report` makes it anew");
        continue;
      }
      std::string damage;
      const std::optional<Record> record = store_.find(last->good_key, &damage);
      if (record)
        stages[stage] = add_stage(stage, *record, {stage});
      else
        leave_out(stage, damage.empty() ? "its result is gone" : damage);
    }
  }

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

  // "": all of the pipeline.
  void leave_out(const std::string& stage, const std::string& why) {
    complain("{}: {}left out: {}\n", label_, stage.empty() ? "" : stage + ": ", why);
    is_complete_ = false;
  }

  Store& store_;
  FileSystem& files_;
  const Path folder_;
  CommandLine& line_;
  std::string label_;                 // of the pipeline that is being added
  Path target_;                       // its folder
  bool does_without_failed_ = false;  // all that it lacks are trials that failed
  std::size_t count_ = 0;
  bool is_complete_ = true;
};

// Without files: all that have run, or of these the given variant or sweep.
std::vector<KnownPipeline> known_to_export(const ExportArguments& arguments, const Layout& layout,
                                           CommandLine& line) {
  if (!arguments.sets.empty()) throw UsageError("--set needs a pipeline's file");
  std::vector<KnownPipeline> known = known_pipelines(line.files, layout);
  const std::string part =
      arguments.sweep.empty() ? arguments.variant : sweep_label(arguments.sweep, arguments.variant);
  if (!part.empty())
    std::erase_if(known, [&](const KnownPipeline& one) { return one.variant != part; });
  return known;
}

int export_results(const ExportArguments& arguments, CommandLine& line) {
  PipelineArguments first = arguments;
  if (!arguments.files.empty()) first.file = arguments.files.front();
  Store store(line.files, first.outputs_path());
  const Path folder = arguments.folder;
  if (!line.files.list(folder).empty())
    throw UsageError("{} is not empty; give a new folder", folder.string());
  std::vector<PipelineSpec> named;
  for (const std::string& file : arguments.files) {
    PipelineArguments one = arguments;
    one.file = file;
    named.push_back(load(one, line));
  }
  std::vector<KnownPipeline> known;
  if (arguments.files.empty()) known = known_to_export(arguments, store.layout(), line);
  if (named.empty() && known.empty())
    throw UsageError("no pipeline has run yet (outputs: {})",
                     display_path(store.layout().outputs()));
  const std::unique_ptr<FileLock> lock = lock_store(store, LockMode::kShared);
  if (!lock) throw Error("gc is working on this store; try again when it has ended");
  Exporter exporter(store, folder, line);
  for (const PipelineSpec& pipeline : named) exporter.add(pipeline);
  for (const KnownPipeline& one : known) exporter.add(one);
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
