// `headway verify` and `headway export`: checking the store and taking results out of it.
#include <fmt/format.h>

#include <map>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/verbs.h"
#include "lib/run/messages.h"
#include "lib/run/sweep_memory.h"
#include "lib/store/housekeeping.h"
#include "lib/store/pipeline_state.h"

namespace headway {
namespace {

// What a run makes again this moment must not be removed: that needs the store alone. False where
// somebody else is using it.
bool remove_alone(Store& store, const Verification& found, std::unique_ptr<FileLock> shared) {
  shared.reset();
  const std::unique_ptr<FileLock> alone = lock_store(store, LockMode::kExclusive);
  if (alone) {
    remove_damage(store, found);
  } else {
    distrust_damage(store, found);
  }
  return alone != nullptr;
}

int verify(const PipelineArguments& arguments, CommandLine& line) {
  Store store(line.files, arguments.outputs_path());
  if (!line.files.exists(store.layout().root()))
    throw UsageError(fmt::format("there is no store in {}", shown(store.layout().outputs())));
  std::unique_ptr<FileLock> lock = lock_store(store, LockMode::kShared);
  if (!lock) throw Error("gc is working on this store; try again when it has ended");
  const Verification result = verify_store(store);
  const bool removes = !result.damages.empty() && remove_alone(store, result, std::move(lock));
  for (const Damage& damage : result.damages) {
    fmt::print("{}: {}{}\n", shown(damage.path), damage.what,
               damage.label.empty() ? "" : " (" + damage.label + ")");
  }
  fmt::print("{} records, {} objects, {}: {}\n", result.records, result.objects,
             format_bytes(result.bytes),
             result.damages.empty()
                 ? "all whole"
                 : fmt::format("{} damaged{}; the next run makes them again", result.damages.size(),
                               removes ? ", removed" : " (left, since a run is using the store)"));
  return result.damages.empty() ? 0 : 1;
}

struct ExportArguments {
  PipelineArguments pipeline;
  std::string folder;
  std::vector<std::string> files;
};

// Of a sweep: the folders of the trials that show a stage.
std::map<std::string, std::vector<std::string>> places_of(const KnownPipeline& known,
                                                          const PipelineState& state, Store& store,
                                                          CommandLine& line) {
  std::map<std::string, std::vector<std::string>> places;
  if (!recall_sweep(line.files, store.layout(), known.name, known.variant)) return places;
  try {
    for (const StageSpec& stage :
         load_known(known, shown(state.file()), store.layout(), line).stages) {
      if (!stage.places.empty()) places[stage.name] = stage.places;
    }
  } catch (const Error&) {  // a file that cannot be read now: under the stages' own names
  }
  return places;
}

// The last good results of one pipeline as plain files, with a page that says where each came from.
std::size_t export_pipeline(const KnownPipeline& known, const Path& folder, Store& store,
                            CommandLine& line) {
  const PipelineState state(line.files, store.layout(), known.name, known.variant);
  const Path target =
      known.variant.empty() ? folder / known.name : folder / known.name / known.variant;
  Json provenance = {{"pipeline", known.name},
                     {"variant", known.variant},
                     {"file", state.file()},
                     {"stages", Json::object()}};
  const std::map<std::string, std::vector<std::string>> places =
      places_of(known, state, store, line);
  std::size_t count = 0;
  for (const auto& [stage, last] : state.all()) {
    std::string damage;
    const std::optional<Record> record =
        last->good_key.empty() ? std::nullopt : store.find(last->good_key, &damage);
    if (!record) {
      if (!damage.empty()) fmt::print(stderr, "{}: left out: {}\n", stage, damage);
      continue;
    }
    Json facts = Json::object();
    for (const Fact& fact : record->facts) facts[fact.name] = fact.value;
    Json outputs = Json::object();
    const auto found = places.find(stage);
    const std::vector<std::string> own = {stage};
    const std::vector<std::string>& folders = found == places.end() ? own : found->second;
    for (const RecordedOutput& output : record->outputs) {
      const Path place = target / folders.front() / output.file;
      line.files.make_directories(place.parent_path());
      copy_tree(line.files, store.path_of(output.object), place);
      ++count;
      outputs[output.name] = {{"file", folders.front() + "/" + output.file},
                              {"sha256", output.object.digest.hex()}};
    }
    // What trials share is there once, the others have links to it.
    for (std::size_t i = 1; i < folders.size(); ++i) {
      const Path place = target / folders[i];
      line.files.make_directories(place.parent_path());
      line.files.make_link((target / folders.front()).lexically_relative(place.parent_path()),
                           place);
    }
    provenance["stages"][stage] = {{"key", record->key.hex()},
                                   {"facts", facts},
                                   {"outputs", outputs},
                                   {"seconds", record->seconds},
                                   {"finished", record->finished}};
  }
  line.files.make_directories(target);
  line.files.replace(target / "provenance.json",
                     provenance.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  return count;
}

int export_results(const ExportArguments& arguments, CommandLine& line) {
  Store store(line.files, arguments.pipeline.outputs_path());
  const Path folder = arguments.folder;
  if (!line.files.list(folder).empty())
    throw UsageError(fmt::format("{} is not empty; give a new folder", folder.string()));
  std::vector<KnownPipeline> wanted;
  for (const std::string& file : arguments.files) {
    PipelineArguments one = arguments.pipeline;
    one.file = file;
    const PipelineSpec spec = load(one, line);
    wanted.push_back({spec.name, spec.variant, 0});
  }
  if (arguments.files.empty()) wanted = known_pipelines(line.files, store.layout());
  const std::string part = sweep_label(arguments.pipeline.sweep, arguments.pipeline.variant);
  if (!arguments.pipeline.sweep.empty())
    std::erase_if(wanted, [&](const KnownPipeline& known) { return known.variant != part; });
  if (wanted.empty())
    throw UsageError(
        fmt::format("no pipeline has run yet with outputs in {}", shown(store.layout().outputs())));
  const std::unique_ptr<FileLock> lock = lock_store(store, LockMode::kShared);
  std::size_t count = 0;
  for (const KnownPipeline& known : wanted) count += export_pipeline(known, folder, store, line);
  fmt::print("{} file{} in {}\n", count, count == 1 ? "" : "s", folder.string());
  return 0;
}

}  // namespace

void add_verify(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<PipelineArguments>();
  CLI::App& verb = add_verb(
      app, line, "verify", "read everything in the store again and compare it with its digest",
      "  headway verify\n", [arguments, &line] { return verify(*arguments, line); });
  arguments->add_outputs(verb);
}

void add_export(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App& verb = add_verb(app, line, "export", "plain copies of results, with their provenance",
                            "  headway export results/                 all pipelines\n"
                            "  headway export results/ p.yaml --variant wide\n",
                            [arguments, &line] { return export_results(*arguments, line); });
  verb.add_option("DIR", arguments->folder, "a new folder")->required();
  verb.add_option("PIPELINE", arguments->files, "pipeline files (default: all that have run)");
  arguments->pipeline.add_changes(verb);
  arguments->pipeline.add_sweep(verb);
  arguments->pipeline.add_outputs(verb);
}

}  // namespace headway
