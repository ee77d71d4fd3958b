#include "tests/support/full_project.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/report/provenance.h"
#include "lib/store/housekeeping.h"

namespace headway::testing {
namespace {

constexpr const char* kFull = R"(
name: p
params: {steps: 4}
stages:
  a: {uses: shell, outs: {o: a.txt}, with: {run: "a {out.o}"}}
  site: {uses: shell, in: {x: a}, outs: {folder: site, o: deep/er/o.csv}, with: {run: "site {out.folder} {out.o}"}}
  m: {uses: shell, matrix: {i: [1, 2]}, in: {x: site.folder}, outs: {o: m.txt}, with: {run: "m ${matrix.i} {out.o}"}}
  all: {uses: shell, in: {parts: "m@*"}, outs: {metrics: m.json}, expect: {x: ">= 1"}, with: {run: "x=1 {out.metrics}"}}
  twin: {uses: shell, outs: {o: a.txt}, with: {run: "a {out.o}"}}
  sources: {uses: list-sources, in: {parts: "m@*", first: a}}
  count: {uses: shell, in: {x: a}, outs: {o: count.txt}, with: {run: "count {partial} {out.o}"}}
  walk: {uses: walk, in: {x: a}, with: {steps: "${steps}", length: 4}}
)";

struct TellParams {
  bool times = false;
};

// Gets the provenance of its inputs, like a report.
StageType list_sources_type() {
  SchemaOf<TellParams> schema;
  schema.add("times", &TellParams::times, "with times");
  StageType type;
  type.name = "list-sources";
  type.params = std::make_shared<SchemaOf<TellParams>>(schema);
  type.free_inputs = true;
  type.outputs = {{"o", "sources.txt", "where the inputs come from", {}}};
  type.provenance = ProvenanceUse{"times", provenance_text};
  return type;
}

struct WalkParams {
  std::int64_t steps = 1;
  std::int64_t length = 0;
};

// Like a training: a run with fewer steps is a prefix of a longer one.
StageType walk_type() {
  SchemaOf<WalkParams> schema;
  schema.add("steps", &WalkParams::steps, "how many").at_least(1);
  schema.add("length", &WalkParams::length, "of the whole walk; 0: steps").at_least(0);
  StageType type;
  type.name = "walk";
  type.params = std::make_shared<SchemaOf<WalkParams>>(schema);
  type.free_inputs = true;
  type.outputs = {{"way", "way.txt", "the steps", {}}};
  type.prefix_params = PrefixParams{.amount = "steps", .whole = "length"};
  return type;
}

// A stage's own state, with a digest because nothing else can check it.
std::string read_state(FileSystem& files, const StageJob& job) {
  const std::string text = files.read(job.partial / "state").value_or("");
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return "";
  const std::string state = text.substr(end + 1);
  return text.substr(0, end) == digest_of(state).hex() ? state : "";
}

void write_state(FileSystem& files, const StageJob& job, const std::string& state) {
  files.make_directories(job.partial);
  files.replace(job.partial / "state", digest_of(state).hex() + "\n" + state);
}

// The same whatever the run continued from.
std::string steps_text(const std::string& input, int steps) {
  std::string text;
  for (int step = 1; step <= steps; ++step) text += fmt::format("step {} from {}", step, input);
  return text;
}

int steps_in(const std::string& input, const std::string& state, int most) {
  for (int steps = most; steps > 0; --steps) {
    if (state == steps_text(input, steps)) return steps;
  }
  return 0;
}

}  // namespace

FullProject::FullProject(std::shared_ptr<MemoryFileSystem> shared) : Project(std::move(shared)) {
  stages.add(list_sources_type());
  stages.add(walk_type());
  write(kFull);
  executor.on("sources", [this](const StageJob& job, const ProgressSink&, Interrupt&) {
    return list_sources(job);
  });
  executor.on("count",
              [this](const StageJob& job, const ProgressSink&, Interrupt&) { return count(job); });
  executor.on("walk",
              [this](const StageJob& job, const ProgressSink&, Interrupt&) { return walk(job); });
}

void FullProject::change_first_stage() {
  std::string yaml = kFull;
  const std::string command = "\"a {out.o}";
  write(yaml.replace(yaml.find(command), command.size(), "\"b {out.o}"));
}

StageResult FullProject::list_sources(const StageJob& job) {
  std::string text = "sources " + files.read(job.provenance).value_or("nothing");
  for (const InputPaths& input : job.inputs) {
    for (const Path& path : input.paths) text += files.read(path).value_or("nothing");
  }
  files.write(job.outputs[0].second, text, Durability::kCached);
  return {};
}

StageResult FullProject::count(const StageJob& job) {
  constexpr int kSteps = 3;
  const std::string input = files.read(job.inputs[0].paths[0]).value_or("nothing");
  for (int done = steps_in(input, read_state(files, job), kSteps); done < kSteps; ++done) {
    if (stop_early && done == 2) return failed("stopped");
    write_state(files, job, steps_text(input, done + 1));
  }
  files.write(job.outputs[0].second, read_state(files, job), Durability::kCached);
  return {};
}

StageResult FullProject::walk(const StageJob& job) {
  const int steps = job.params.at("steps");
  const std::string input = files.read(job.inputs[0].paths[0]).value_or("nothing");
  for (int done = steps_in(input, read_state(files, job), steps); done < steps; ++done)
    write_state(files, job, steps_text(input, done + 1));
  files.write(job.outputs[0].second, steps_text(input, steps), Durability::kCached);
  return {};
}

std::map<std::string, std::string> seen(Project& project, const RunSettings& settings) {
  std::map<std::string, std::string> tree = project.shown_tree();
  // Results of --set have folders of their own.
  const std::string set = settings.sets.empty() ? "" : project.load(settings).variant;
  std::erase_if(tree, [&](const auto& entry) {
    const bool of_set = entry.first.find('=') != std::string::npos;
    return of_set != !set.empty() || (of_set && entry.first.find("/" + set) == std::string::npos);
  });
  for (auto& [name, contents] : tree) {
    if (!contents.starts_with("-> ")) continue;
    for (const auto& [inner, bytes] : project.disk.tree(project.outputs / name))
      contents += "\n" + inner + "=" + bytes;
  }
  return tree;
}

std::string said(const Outcome& outcome) {
  std::string text = outcome.error;
  for (const auto& [stage, message] : outcome.messages)
    text += message.empty() ? "" : message + "\n";
  return text;
}

std::string faults_of_store(Project& project, const RunSettings& settings) {
  std::string text;
  Store store(project.disk, project.outputs);
  for (const StagePlan& stage : project.plan(settings).stages) {
    const std::optional<Record> record = store.read_record(stage.key);
    if (!record) text += "no whole record " + project.layout.record(stage.key).string() + "\n";
    for (const RecordedOutput& output : record ? record->outputs : std::vector<RecordedOutput>()) {
      const auto content = store.digests().rehash_file(store.path_of(output.object));
      if (!content || content->digest != output.object.digest)
        text += "no whole object " + store.path_of(output.object).string() + "\n";
    }
  }
  for (const std::string& name : project.disk.list(project.layout.works()))
    text += "left in work/: " + name + "\n";
  remove_damage(store, verify_store(store));  // results that no stage needs may be damaged
  for (const Damage& damage : verify_store(store).damages)
    text += fmt::format("still damaged: {}: {}\n", damage.path.string(), damage.what);
  return text;
}

std::string collect_garbage(Project& project, const RunSettings& settings) {
  Store store(project.files, project.outputs);
  const std::unique_ptr<FileLock> alone = lock_store(store, LockMode::kExclusive);
  if (!alone) return "another process is running";
  std::set<Digest> keys;
  for (const StagePlan& stage : project.plan(settings).stages) keys.insert(stage.key);
  for (const KnownPipeline& known : known_pipelines(project.files, project.layout)) {
    const PipelineState state(project.files, project.layout, known.name, known.variant);
    for (const auto& [stage, last] : state.all()) keys.insert({last->key, last->good_key});
  }
  remove_garbage(store, find_garbage(store, keys, 0));
  return "";
}

std::string recover(Project& project, const RunSettings& settings,
                    const std::map<std::string, std::string>& expected) {
  Outcome outcome = project.run(settings);
  if (outcome.exit_code != 0) {
    const std::string first = said(outcome);
    if (first.empty()) return fmt::format("exit code {}, and nothing said", outcome.exit_code);
    outcome = project.run(settings);
    if (outcome.exit_code != 0)
      return fmt::format("two runs failed: {}; then {}", first, said(outcome));
  }
  const auto shown = seen(project, settings);
  for (const auto& [name, contents] : expected) {
    const auto found = shown.find(name);
    if (found == shown.end()) return name + " is not shown";
    if (found->second != contents) return fmt::format("{} is wrong: '{}'", name, found->second);
  }
  if (shown.size() != expected.size()) return "more is shown than should be";
  const Outcome idle = project.run(settings);
  if (idle.exit_code != 0) return "nothing to do, but: " + said(idle);
  if (!idle.ran.empty()) return "runs again: " + idle.ran.front();
  return faults_of_store(project, settings);
}

}  // namespace headway::testing
