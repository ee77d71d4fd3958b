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

constexpr double kUnknownSeconds = 1;  // expected for a stage that never ran

// Whether a stage's name ends in one of the variations: "train@seed=1", "ablate@zero,seed=1".
bool is_of_variation(const std::string& stage, const std::unordered_set<std::string>& variations) {
  if (variations.empty()) return false;
  for (std::size_t at = stage.find('@'); at != std::string::npos; at = stage.find(',', at + 1)) {
    if (variations.contains(stage.substr(at + 1))) return true;
  }
  return false;
}

}  // namespace

Runner::Runner(const PipelineSpec& pipeline, const Graph& graph, Store& store,
               const RunSession& session, StageExecutor& executor, Observer& observer,
               const Interrupt& interrupt, RunOptions options)
    : pipeline_(pipeline),
      graph_(graph),
      store_(store),
      observer_(observer),
      interrupt_(interrupt),
      session_(session),
      options_(std::move(options)),
      state_(store.files(), store.layout(), pipeline.name, pipeline.variant),
      tree_(store, pipeline.name, pipeline.variant, session.work()),
      facts_(pipeline, store),
      attempts_{pipeline, store, facts_, executor, observer, interrupt, session},
      work_(graph.stages) {}

RunSummary Runner::run() {
  const Clock::time_point start = Clock::now();
  refuse_taken_name(pipeline_, state_, store_);
  plan_ = make_plan(pipeline_, graph_, store_, state_, facts_, options_.selection);
  refuse_others();
  for (const std::string& damage : {state_.damage(), store_.digests().damage()}) {
    if (!damage.empty()) observer_.warning(damage);
  }
  finished_ = plan_.finished;
  state_.note_file(pipeline_.file);

  RunInfo info{session_.id(),       pipeline_.label(), store_.layout().outputs(), 0, 0,
               options_.limits.cpus};
  for (const StageId stage : pipeline_.stages.ids()) {
    info.selected += options_.selection.has(graph_.node_of(stage));
    info.fresh += plan_.finished[stage] != nullptr;
  }
  observer_.run_started(info);
  Schedule schedule = make_schedule();
  finish_fresh(schedule);
  const bool stop = summary_.failed > 0 && !options_.limits.keep_going;
  const bool work_left = std::ranges::any_of(pipeline_.stages.ids(), [&](StageId stage) {
    return schedule.selected[graph_.node_of(stage)];
  });
  if (work_left && !stop && !interrupt_.requested()) {
    const ScheduleWork work{[this](StageId stage, Scheduler&) { start_stage(stage); },
                            [this](StageId stage, StageId why) { skip(stage, why); }};
    Scheduler scheduler(schedule, work, interrupt_);
    scheduler_ = &scheduler;
    scheduler.run();
  }
  if (options_.forgets) forget_removed_stages();
  summarise(info.selected, std::chrono::duration<double>(Clock::now() - start).count());
  observer_.run_finished(summary_);
  store_.digests().keep();
  return summary_;
}

// Removes stages that are no longer in the file from outputs/ and the history. Their results stay
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
    if (!is_variant) tree_.hide(stage);  // else the folder now belongs to that variant
    state_.forget(stage);
  }
  if (pipeline_.is_merged) hide_removed_variations();
}

// Removes the folders of variations that the pipeline no longer has. Their names contain '=', which
// stage names cannot.
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

// Estimates for stages that never ran, from other variations or the plain pipeline.
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

Schedule Runner::make_schedule() const {
  Schedule schedule{graph_, options_.selection.nodes, {}, {}, {}, options_.limits};
  if (schedule.selected.empty()) schedule.selected = graph_.all_nodes();
  const std::map<std::string, double> of_others =
      pipeline_.is_merged ? seconds_by_family() : std::map<std::string, double>();
  for (const StageId id : pipeline_.stages.ids()) {
    const StageSpec& stage = pipeline_.stages[id];
    const LastState last = state_.find(stage.name);
    const auto others = of_others.find(stage.family);
    if (plan_.finished[id]) schedule.selected[graph_.node_of(id)] = false;
    schedule.seconds.push_back(last && last->seconds > 0   ? last->seconds
                               : others != of_others.end() ? others->second
                                                           : kUnknownSeconds);
    schedule.cpus.push_back(stage.resources.cpus);
    schedule.memory.push_back(stage.resources.memory);
  }
  return schedule;
}

// --only: throws UsageError if a stage that was not named must run.
void Runner::refuse_others() {
  for (const StageId stage : pipeline_.stages.ids()) {
    if (!options_.selection.has(graph_.node_of(stage)) || options_.selection.allows(stage) ||
        plan_.finished[stage])
      continue;
    const StageSpec& spec = pipeline_.stages[stage];
    throw UsageError(fmt::format(
        "--only: the result of stage '{}' is needed but not there ({}); run it first, or leave out "
        "--only",
        spec.name, reason(pipeline_, spec, plan_.stages[stage], state_.find(spec.name), store_)));
  }
}

// Shows fresh results and checks their expectations. A broken expectation stops downstream stages,
// like any failure.
void Runner::finish_fresh(Schedule& schedule) {
  for (const NodeId node : graph_.order) {
    if (!graph_.is_stage(node) || !plan_.finished[graph_.stage_of(node)]) continue;
    const StageId stage = graph_.stage_of(node);
    StageEnd end;
    end.stage = pipeline_.stages[stage].name;
    end.status = StageStatus::kFresh;
    if (finish_safely(stage, plan_.finished[stage], std::move(end)).status == StageStatus::kDone)
      continue;
    const NodeSet lost = lost_without(graph_, stage);
    for (const NodeId other : lost.ids()) {
      if (!lost[other] || !schedule.selected[other]) continue;
      schedule.selected[other] = false;
      if (graph_.is_stage(other)) skip(graph_.stage_of(other), stage);
    }
  }
}

// Called outside of a task, so it must catch errors itself.
WorkResult Runner::finish_safely(StageId stage, std::shared_ptr<const Record> record,
                                 StageEnd end) {
  try {
    return finish(stage, std::move(record), end);
  } catch (const Error& error) {
    end.status = StageStatus::kFailed;
    end.message = error.what();
    return end_badly(stage, std::move(end));
  }
}

void Runner::guard(StageId stage, const std::function<void()>& part) {
  StageEnd end;
  end.stage = pipeline_.stages[stage].name;
  std::string failure = "it was interrupted";
  try {
    return part();
  } catch (const Cancelled&) {
    end.status = StageStatus::kCancelled;
  } catch (const std::exception& error) {
    end.status = StageStatus::kFailed;
    end.message = failure = describe_exception(error);
  }
  const StagePlan& plan = plan_.stages[stage];
  if (work_[stage]) {  // its key is known
    end.key = plan.key.hex();
    work_[stage]->lock.reset();
    release(plan.key, stage, failure);
  }
  end_stage(stage, end_badly(stage, std::move(end)));
}

void Runner::post(StageId stage, std::function<void()> part) {
  scheduler_->post(stage, [this, stage, part = std::move(part)] { guard(stage, part); });
}

void Runner::end_stage(StageId stage, const WorkResult& result) {
  work_[stage].reset();
  scheduler_->end(stage, result);
}

void Runner::start_stage(StageId stage) {
  guard(stage, [&] {
    const StagePlan& plan = update_plan(stage);
    work_[stage] = std::make_unique<Work>();
    bool made_before = false;
    if (const std::optional<WorkResult> instead = claim(plan.key, stage, made_before))
      return end_stage(stage, *instead);
    work_[stage]->forced = options_.selection.forces(stage) && !made_before;
    lock_key(stage);
  });
}

// The current facts and key: recomputed if inputs were unknown to the plan or a file has changed.
const StagePlan& Runner::update_plan(StageId stage) {
  StagePlan& plan = plan_.stages[stage];
  if (plan.status == StageStatus::kWaiting || !facts_.changed_file(plan.facts).empty()) {
    plan.facts = facts_.facts_of(pipeline_.stages[stage], finished_);
    plan.key = key_of(plan.facts);
    plan.status = StageStatus::kReady;
  }
  return plan;
}

// Stages with the same key are the same work: one does it, the others reuse the result.
std::optional<WorkResult> Runner::claim(const Digest& key, StageId stage, bool& made_before) {
  const std::lock_guard lock(mutex_);
  if (const auto other = making_.find(key); other != making_.end())
    return WorkResult{StageStatus::kWaiting, other->second};
  if (const auto made = made_.find(key); made != made_.end()) {
    if (!made->second.empty())
      throw Error("the same work failed in another stage: " + made->second);
    made_before = true;
  }
  making_[key] = stage;
  return std::nullopt;
}

void Runner::release(const Digest& key, StageId stage, const std::string& failure) {
  const std::lock_guard lock(mutex_);
  const auto claimed = making_.find(key);
  if (claimed == making_.end() || claimed->second != stage) return;
  making_.erase(claimed);
  made_[key] = failure;  // only the first time: later failures do not concern the key
}

// Looks the key up again under the lock: another process may have made the result meanwhile.
void Runner::lock_key(StageId stage) {
  const StageSpec& spec = pipeline_.stages[stage];
  const Digest& key = plan_.stages[stage].key;
  Work& work = *work_[stage];
  work.lock = store_.try_lock(key);
  if (!work.lock) {
    if (!work.waits)
      observer_.warning(
          fmt::format("stage '{}' is being made by another process; waiting for it", spec.name));
    work.waits = true;
    if (interrupt_.requested()) throw Cancelled();
    scheduler_->post_later(stage, [this, stage] { guard(stage, [&] { lock_key(stage); }); });
    return;
  }
  std::string damage;
  std::optional<Record> record = work.forced ? std::nullopt : store_.find(key, &damage);
  if (!record) {
    prepare_making(stage, damage);
    return start_attempt(stage);
  }
  store_.unlock(key, std::move(work.lock));
  release(key, stage, "");
  StageEnd end;
  end.stage = spec.name;
  end.status = StageStatus::kFresh;
  end_stage(stage, finish(stage, std::make_shared<const Record>(std::move(*record)), end));
}

void Runner::prepare_making(StageId stage, const std::string& damage) {
  const StageSpec& spec = pipeline_.stages[stage];
  StagePlan& plan = plan_.stages[stage];
  Work& work = *work_[stage];
  plan.damage = damage;
  if (!damage.empty())
    observer_.warning(fmt::format("{}; stage '{}' makes it again", damage, spec.name));
  work.reason = reason(pipeline_, spec, plan, state_.find(spec.name), store_);
  work.attempt.emplace(attempts_, spec, plan.key, plan.facts, finished_, work.forced);
}

void Runner::start_attempt(StageId stage) {
  const StageSpec& spec = pipeline_.stages[stage];
  Work& work = *work_[stage];
  const std::string continues = work.attempt->prepare();
  const LastState last = state_.find(spec.name);
  note(spec.name, StageStatus::kRunning, plan_.stages[stage].key, "");
  observer_.stage_started({spec.name,
                           continues.empty() ? work.reason : work.reason + "; " + continues,
                           last ? last->seconds : 0, spec.resources.cpus, work.attempt->number()});
  work.attempt->start([this, stage](StageResult result) {
    post(stage, [this, stage, result = std::move(result)] { end_attempt(stage, result); });
  });
}

void Runner::end_attempt(StageId stage, const StageResult& result) {
  const Digest& key = plan_.stages[stage].key;
  Work& work = *work_[stage];
  AttemptOutcome outcome = work.attempt->finish(result);
  if (outcome.should_retry) return start_attempt(stage);
  store_.unlock(key, std::move(work.lock));
  release(key, stage, outcome.record ? "" : outcome.end.message);
  end_stage(stage, outcome.record ? finish(stage, std::move(outcome.record), std::move(outcome.end))
                                  : end_badly(stage, std::move(outcome.end)));
}

// The stage has its result, old or new: show it, check it, let the successors go.
WorkResult Runner::finish(StageId stage, std::shared_ptr<const Record> record, StageEnd end) {
  const StageSpec& spec = pipeline_.stages[stage];
  end.key = record->key.hex();
  const LastState last = state_.find(spec.name);
  const bool as_before = record->remembered && last && last->status == StageStatus::kDone;
  if (spec.places.empty()) tree_.show(spec.name, *record, /*thorough=*/!as_before);
  for (const std::string& place : spec.places) tree_.show(place, *record, /*thorough=*/!as_before);
  const std::string broken = spec.expectations.empty() ? "" : broken_expectations(spec, *record);
  finished_[stage] = record;
  if (!broken.empty()) {
    end.status = StageStatus::kFailed;
    end.message = broken;
    end.log = "";
    note(spec.name, StageStatus::kFailed, record->key, end.message);
    announce(end);
    return {StageStatus::kFailed};
  }
  if (!as_before) note_done(spec.name, *record, end);
  announce(end);
  return {StageStatus::kDone};
}

WorkResult Runner::end_badly(StageId stage, StageEnd end) {
  const StageSpec& spec = pipeline_.stages[stage];
  const bool cancelled = end.status == StageStatus::kCancelled;
  try {
    note(spec.name, cancelled ? StageStatus::kCancelled : StageStatus::kFailed,
         Digest::from_hex(end.key).value_or(Digest()), cancelled ? "" : end.message);
  } catch (const Error&) {  // the disk that failed the stage may fail its history too; the end
                            // says it all
  }
  announce(end);
  if (cancelled) return {StageStatus::kCancelled};
  // On a full disk all stages would fail alike, so one failure ends the run.
  return {StageStatus::kFailed, {}, store_.files().free_bytes(session_.work()) < kFullDiskBytes};
}

std::string Runner::broken_expectations(const StageSpec& spec, const Record& record) {
  const Json metrics = read_metrics(store_, record);
  std::vector<std::string> broken;
  for (const Expectation& expectation : spec.expectations) {
    if (auto text = unmet(expectation, metrics))
      broken.push_back(*text + " (" + expectation.location.text() + ")");
  }
  return join(broken, "; ");
}

void Runner::skip(StageId stage, StageId because_of) {
  StageEnd end;
  end.stage = pipeline_.stages[stage].name;
  end.status = StageStatus::kSkipped;
  end.message = fmt::format("{} failed", pipeline_.stages[because_of].name);
  announce(end);
}

void Runner::announce(const StageEnd& end) {
  {
    const std::lock_guard lock(mutex_);
    if (end.status != StageStatus::kFresh && end.status != StageStatus::kDone)
      summary_.lost.push_back(end.stage);
    (end.status == StageStatus::kFresh       ? summary_.fresh
     : end.status == StageStatus::kDone      ? summary_.done
     : end.status == StageStatus::kFailed    ? summary_.failed
     : end.status == StageStatus::kCancelled ? summary_.cancelled
                                             : summary_.skipped)++;
  }
  observer_.stage_finished(end);
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

void Runner::note_done(const std::string& stage, const Record& record, const StageEnd& end) {
  const LastState last = state_.find(stage);
  StageState state = last ? *last : StageState();
  state.status = StageStatus::kDone;
  state.key = record.key;
  state.message.clear();
  state.finished = store_.files().now_ns() / 1'000'000'000;
  if (state.good_key != record.key) state.previous_key = std::exchange(state.good_key, record.key);
  if (end.status == StageStatus::kDone) state.seconds = end.seconds;
  state.record_stamp = store_.record_stamp(record.key);
  state.outputs = record.outputs;
  state_.note(stage, state);
}

}  // namespace headway
