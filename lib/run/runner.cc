#include "lib/run/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <unordered_set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/run/metrics.h"
#include "lib/run/taken_name.h"

namespace headway {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kUnknownSeconds = 1;  // expected of a stage that never ran

RunOptions complete(RunOptions options, const Graph& graph) {
  if (options.selected.empty()) options.selected.assign(graph.size(), true);
  if (options.forced.empty()) options.forced.assign(graph.stages, false);
  return options;
}

// Whether a stage's name ends in one of the variations: "train@seed=1", "ablate@zero,seed=1".
bool is_of_variation(const std::string& stage, const std::unordered_set<std::string>& variations) {
  if (variations.empty()) return false;
  for (std::size_t at = stage.find('@'); at != std::string::npos; at = stage.find(',', at + 1)) {
    if (variations.contains(stage.substr(at + 1))) return true;
  }
  return false;
}

}  // namespace

const char* status_name(StageReport::Status status) {
  static constexpr const char* kNames[] = {"fresh", "done", "failed", "cancelled", "skipped"};
  return kNames[static_cast<std::size_t>(status)];
}

Runner::Runner(const PipelineSpec& pipeline, const Graph& graph, Store& store,
               StageExecutor& executor, Observer& observer, Interrupt& interrupt,
               RunOptions options)
    : pipeline_(pipeline),
      graph_(graph),
      store_(store),
      observer_(observer),
      interrupt_(interrupt),
      options_(complete(std::move(options), graph)),
      state_(store.files(), store.layout(), pipeline.name, pipeline.variant),
      tree_(store, pipeline.name, pipeline.variant, options_.work),
      facts_(pipeline, store),
      maker_(pipeline, store, facts_, executor, observer, interrupt, options_.work, options_.id) {}

RunSummary Runner::run() {
  const Clock::time_point start = Clock::now();
  refuse_taken_name(pipeline_, state_, store_);
  const Plan plan =
      make_plan(pipeline_, graph_, store_, state_, facts_, options_.selected, options_.forced);
  refuse_others(plan);
  for (const std::string& damage : {state_.damage(), store_.digests().damage()}) {
    if (!damage.empty()) observer_.warning(damage);
  }
  finished_ = plan.finished;
  state_.note_file(pipeline_.file);

  RunInfo info{options_.id, pipeline_.label(), store_.layout().outputs(), 0, 0, options_.cpus};
  for (std::size_t i = 0; i < graph_.stages; ++i) {
    info.selected += options_.selected[i];
    info.fresh += plan.finished[i] != nullptr;
  }
  observer_.run_started(info);
  Schedule schedule = schedule_of(plan);
  finish_fresh(plan, schedule);
  const bool stop = summary_.failed > 0 && !options_.keep_going;
  const bool work_left =
      std::find(schedule.selected.begin(),
                schedule.selected.begin() + static_cast<std::ptrdiff_t>(graph_.stages),
                true) != schedule.selected.begin() + static_cast<std::ptrdiff_t>(graph_.stages);
  if (work_left && !stop && !interrupt_.requested()) {
    run_schedule(schedule,
                 {[this](int node) { return run_node(node); },
                  [this](int node, int why) { skip(node, why); }},
                 interrupt_);
  }
  if (options_.forgets) forget_removed_stages();
  summarise(info.selected, std::chrono::duration<double>(Clock::now() - start).count());
  observer_.run_finished(summary_);
  store_.digests().keep();
  return summary_;
}

// Stages that the file no longer has vanish from outputs/ and from the history; their results stay
// in the store until gc.
void Runner::forget_removed_stages() {
  std::unordered_set<std::string_view> names;
  for (const StageSpec& stage : pipeline_.stages) names.insert(stage.name);
  const std::unordered_set<std::string> kept(pipeline_.kept_variations.begin(),
                                             pipeline_.kept_variations.end());
  for (const std::string& stage : state_.names()) {
    if (names.contains(stage) || is_of_variation(stage, kept)) continue;
    const auto has = [&](const std::vector<std::string>& names_of) {
      return std::find(names_of.begin(), names_of.end(), stage) != names_of.end();
    };
    if (has(options_.kept_stages)) continue;
    const bool is_variant = has(pipeline_.variants) || has(pipeline_.other_folders);
    if (!is_variant) tree_.hide(stage);  // or its folder is that variant's now
    state_.forget(stage);
  }
  if (pipeline_.is_merged) hide_removed_variations();
}

// Removes the folders of variations that the pipeline no longer has. They have '=' in their names,
// which no stage has.
void Runner::hide_removed_variations() {
  std::unordered_set<std::string> variations(pipeline_.kept_variations.begin(),
                                             pipeline_.kept_variations.end());
  for (const StageSpec& stage : pipeline_.stages) {
    for (const std::string& place : stage.places)
      variations.insert(place.substr(0, place.find('/')));
  }
  for (const std::string& name : store_.files().list(tree_.folder())) {
    if (name.find('=') != std::string::npos && !variations.contains(name)) tree_.hide(name);
  }
}

void Runner::summarise(std::size_t selected, double seconds) {
  const std::size_t told =
      summary_.done + summary_.fresh + summary_.failed + summary_.cancelled + summary_.skipped;
  summary_.seconds = seconds;
  summary_.not_started = selected - std::min(selected, told);
  summary_.interrupted = interrupt_.requested() && summary_.cancelled + summary_.not_started > 0;
  summary_.exit_code = summary_.interrupted ? 130 : summary_.failed > 0 ? 1 : 0;
}

// A stage that never ran will take about as long as it did in other variations, or in the plain
// pipeline.
std::map<std::string, double> Runner::seconds_by_family() const {
  std::map<std::string, double> seconds;
  const PipelineState plain(store_.files(), store_.layout(), pipeline_.name, "");
  for (const PipelineState* state : {&plain, &state_}) {
    for (const auto& [stage, last] : state->all()) {
      double& longest = seconds[stage.substr(0, stage.find('@'))];
      longest = std::max(longest, last->seconds);
    }
  }
  std::erase_if(seconds, [](const auto& entry) { return entry.second <= 0; });
  return seconds;
}

Schedule Runner::schedule_of(const Plan& plan) const {
  Schedule schedule{graph_,          options_.selected,  {}, {}, {}, options_.cpus,
                    options_.memory, options_.keep_going};
  const std::map<std::string, double> of_others =
      pipeline_.is_merged ? seconds_by_family() : std::map<std::string, double>();
  for (std::size_t i = 0; i < graph_.stages; ++i) {
    const StageSpec& stage = pipeline_.stages[i];
    const LastState last = state_.find(stage.name);
    const auto others = of_others.find(stage.family);
    if (plan.finished[i]) schedule.selected[i] = false;
    schedule.seconds.push_back(last && last->seconds > 0   ? last->seconds
                               : others != of_others.end() ? others->second
                                                           : kUnknownSeconds);
    schedule.cpus.push_back(stage.resources.cpus);
    schedule.memory.push_back(stage.resources.memory);
  }
  return schedule;
}

// --only: everything that must run must have been named.
void Runner::refuse_others(const Plan& plan) {
  if (options_.only.empty()) return;
  for (std::size_t i = 0; i < graph_.stages; ++i) {
    const std::string& name = pipeline_.stages[i].name;
    if (!options_.selected[i] || options_.only[i] || plan.finished[i]) continue;
    throw UsageError(fmt::format(
        "--only: the result of stage '{}' is needed but not there ({}); run it first, or leave out "
        "--only",
        name, reason(pipeline_, pipeline_.stages[i], plan.stages[i], state_.find(name), store_)));
  }
}

// What was found fresh is shown and its expectations checked; one that is not met stops what comes
// after, like any failure.
void Runner::finish_fresh(const Plan& plan, Schedule& schedule) {
  for (const int node : graph_.order) {
    const auto index = static_cast<std::size_t>(node);
    if (!graph_.is_stage(node) || !plan.finished[index]) continue;
    StageReport report;
    report.stage = pipeline_.stages[index].name;
    report.status = StageReport::Status::kFresh;
    if (finish_safely(node, plan.finished[index], std::move(report)).kind ==
        NodeResult::Kind::kDone)
      continue;
    const std::vector<bool> below = lost_without(graph_, node);
    for (std::size_t other = 0; other < graph_.size(); ++other) {
      if (!below[other] || !schedule.selected[other]) continue;
      schedule.selected[other] = false;
      if (other < graph_.stages) skip(static_cast<int>(other), node);
    }
  }
}

// Here no task is around it that would catch what cannot be shown.
NodeResult Runner::finish_safely(int node, std::shared_ptr<const Record> record,
                                 StageReport report) {
  try {
    return finish(node, std::move(record), report);
  } catch (const Error& error) {
    report.status = StageReport::Status::kFailed;
    report.message = error.what();
    return end_badly(pipeline_.stages[static_cast<std::size_t>(node)], std::move(report));
  }
}

NodeResult Runner::run_node(int node) {
  const StageSpec& stage = pipeline_.stages[static_cast<std::size_t>(node)];
  StageReport report;
  report.stage = stage.name;
  try {
    return run_stage(node, report.key);
  } catch (const Cancelled&) {
    report.status = StageReport::Status::kCancelled;
  } catch (const std::exception& error) {
    report.status = StageReport::Status::kFailed;
    report.message = describe_exception(error);
  }
  return end_badly(stage, std::move(report));
}

NodeResult Runner::run_stage(int node, std::string& key_told) {
  const StageSpec& stage = pipeline_.stages[static_cast<std::size_t>(node)];
  const std::vector<SourcedFact> facts = facts_.facts_of(stage, finished_);
  const Digest key = key_of(facts);
  key_told = key.hex();
  bool made_before = false;
  if (const std::optional<NodeResult> instead = claim(key, node, made_before)) return *instead;
  const bool forced = options_.forced[static_cast<std::size_t>(node)] && !made_before;
  try {
    std::string damage;
    std::optional<Record> record = forced ? std::nullopt : store_.find(key, &damage);
    if (record) {
      release(key, "");
      StageReport report;
      report.stage = stage.name;
      report.key = key.hex();
      report.status = StageReport::Status::kFresh;
      return finish(node, std::make_shared<const Record>(std::move(*record)), std::move(report));
    }
    return make(node, key, facts, forced, damage);
  } catch (const std::exception& error) {
    release(key, describe_exception(error));
    throw;
  } catch (...) {
    release(key, "it was interrupted");
    throw;
  }
}

// Stages with the same key are the same work: one makes it, the others take it over.
std::optional<NodeResult> Runner::claim(const Digest& key, int node, bool& made_before) {
  const std::lock_guard lock(mutex_);
  if (const auto other = making_.find(key); other != making_.end())
    return NodeResult{NodeResult::Kind::kAfter, other->second};
  if (const auto made = made_.find(key); made != made_.end()) {
    if (!made->second.empty())
      throw Error("the same work failed in another stage: " + made->second);
    made_before = true;
  }
  making_[key] = node;
  return std::nullopt;
}

void Runner::release(const Digest& key, const std::string& failure) {
  const std::lock_guard lock(mutex_);
  if (making_.erase(key) > 0)
    made_[key] = failure;  // once: what comes after the making is no failure of the key
}

NodeResult Runner::make(int node, const Digest& key, const std::vector<SourcedFact>& facts,
                        bool forced, const std::string& damage) {
  const StageSpec& stage = pipeline_.stages[static_cast<std::size_t>(node)];
  const LastState last = state_.find(stage.name);
  const StagePlan plan{StagePlan::Verdict::kMustRun, key, facts, damage, -1};
  if (!damage.empty())
    observer_.warning(fmt::format("{}; stage '{}' makes it again", damage, stage.name));
  const std::string why = reason(pipeline_, stage, plan, last, store_);
  const auto starting = [&](int attempt, const std::string& continues) {
    note(stage.name, StageStatus::kRunning, key, "");
    observer_.stage_started({stage.name, continues.empty() ? why : why + "; " + continues,
                             last ? last->seconds : 0, stage.resources.cpus, attempt});
  };
  Made made = maker_.make(stage, key, facts, finished_, forced, starting);
  release(key, made.record ? "" : made.report.message);
  if (made.record) return finish(node, std::move(made.record), std::move(made.report));
  return end_badly(stage, std::move(made.report));
}

// The stage has its result, old or new: show it, check it, let the successors go.
NodeResult Runner::finish(int node, std::shared_ptr<const Record> record, StageReport report) {
  const StageSpec& stage = pipeline_.stages[static_cast<std::size_t>(node)];
  report.key = record->key.hex();
  const LastState last = state_.find(stage.name);
  const bool as_before = record->remembered && last && last->status == StageStatus::kDone;
  if (stage.places.empty()) tree_.show(stage.name, *record, /*thorough=*/!as_before);
  for (const std::string& place : stage.places) tree_.show(place, *record, /*thorough=*/!as_before);
  const std::string broken = stage.expectations.empty() ? "" : broken_expectations(stage, *record);
  finished_[static_cast<std::size_t>(node)] = record;
  if (!broken.empty()) {
    report.status = StageReport::Status::kFailed;
    report.message = broken;
    report.log = "";
    note(stage.name, StageStatus::kFailed, record->key, report.message);
    tell(report);
    return {NodeResult::Kind::kFailed};
  }
  if (!as_before) note_done(stage.name, *record, report);
  tell(report);
  return {NodeResult::Kind::kDone};
}

NodeResult Runner::end_badly(const StageSpec& stage, StageReport report) {
  const bool cancelled = report.status == StageReport::Status::kCancelled;
  try {
    note(stage.name, cancelled ? StageStatus::kCancelled : StageStatus::kFailed,
         Digest::from_hex(report.key).value_or(Digest()), cancelled ? "" : report.message);
  } catch (const Error&) {  // the disk that failed the stage may fail its history too; the report
                            // says it all
  }
  tell(report);
  if (cancelled) return {NodeResult::Kind::kCancelled};
  // A hundred stages that all fail on a full disk say no more than one.
  return {NodeResult::Kind::kFailed, -1, store_.files().free_bytes(options_.work) < kFullDiskBytes};
}

std::string Runner::broken_expectations(const StageSpec& stage, const Record& record) {
  const Json metrics = read_metrics(store_, record);
  std::vector<std::string> broken;
  for (const Expectation& expectation : stage.expectations) {
    if (auto text = unmet(expectation, metrics))
      broken.push_back(*text + " (" + expectation.location.text() + ")");
  }
  return join(broken, "; ");
}

void Runner::skip(int node, int because_of) {
  StageReport report;
  report.stage = pipeline_.stages[static_cast<std::size_t>(node)].name;
  report.status = StageReport::Status::kSkipped;
  report.message =
      fmt::format("{} failed", pipeline_.stages[static_cast<std::size_t>(because_of)].name);
  tell(report);
}

void Runner::tell(const StageReport& report) {
  {
    const std::lock_guard lock(mutex_);
    if (report.status != StageReport::Status::kFresh && report.status != StageReport::Status::kDone)
      summary_.lost.push_back(report.stage);
    switch (report.status) {
      case StageReport::Status::kFresh:
        ++summary_.fresh;
        break;
      case StageReport::Status::kDone:
        ++summary_.done;
        break;
      case StageReport::Status::kFailed:
        ++summary_.failed;
        break;
      case StageReport::Status::kCancelled:
        ++summary_.cancelled;
        break;
      case StageReport::Status::kSkipped:
        ++summary_.skipped;
        break;
    }
  }
  observer_.stage_finished(report);
}

void Runner::note(const std::string& stage, StageStatus status, const Digest& key,
                  const std::string& message) {
  const LastState last = state_.find(stage);
  StageState state = last ? *last : StageState();
  state.status = status;
  state.key = key;
  state.message = message;
  state.finished = store_.files().now_ns() / 1'000'000'000;
  state_.note(stage, state);
}

void Runner::note_done(const std::string& stage, const Record& record, const StageReport& report) {
  const LastState last = state_.find(stage);
  StageState state = last ? *last : StageState();
  state.status = StageStatus::kDone;
  state.key = record.key;
  state.message.clear();
  state.finished = store_.files().now_ns() / 1'000'000'000;
  if (state.good_key != record.key) state.previous_key = std::exchange(state.good_key, record.key);
  if (report.status == StageReport::Status::kDone) state.seconds = report.seconds;
  state.record_stamp = store_.record_stamp(record.key);
  state.outputs = record.outputs;
  state_.note(stage, state);
}

}  // namespace headway
