#include "lib/run/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "lib/base/error.h"
#include "lib/base/text.h"

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

// The variations that have each stage, in the order in which the pipeline names them. Stages of no
// variation come after all of them.
StageVariations variations_of(const PipelineSpec& pipeline) {
  std::unordered_map<std::string, std::size_t> numbers;
  IndexedVector<StageId, std::vector<std::size_t>> variations;
  for (const StageSpec& stage : pipeline.stages) {
    std::vector<std::size_t>& own = variations.emplace_back();
    for (const std::string& place : stage.places)
      own.push_back(
          numbers.emplace(place.substr(0, place.find('/')), numbers.size()).first->second);
  }
  return StageVariations(std::move(variations));
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
      selection_(options_.selection),
      state_(store.files(), store.layout(), pipeline.name, pipeline.variant),
      tree_(store, pipeline.name, pipeline.variant, session.work()),
      facts_(pipeline, store),
      attempts_{pipeline, store,           facts_,
                executor, observer,        interrupt,
                session,  options_.origin, options_.resume_on_other_numerics},
      work_(graph.stages) {}

RunSummary Runner::run() {
  const Clock::time_point start = Clock::now();
  refuse_taken_name(pipeline_, state_, store_);
  share_journal();
  plan_ = make_plan(pipeline_, graph_, store_, state_, facts_, options_.selection);
  refuse_others(pipeline_, graph_, options_.selection, plan_, state_, store_);
  refuse_missing_gpus(pipeline_, graph_, options_.selection, plan_, options_.limits.gpus);
  force_equal_keys();
  claim_outputs();
  for (const std::string& damage : {state_.damage(), store_.digests().damage()}) {
    if (!damage.empty()) observer_.warning(damage);
  }
  finished_ = plan_.finished;
  for (const StageId stage : pipeline_.stages.ids()) {  // of an earlier run; this one may say more
    if (finished_[stage]) continue;
    const LastState last = state_.find(pipeline_.stages[stage].name);
    if (last && last->status == StageStatus::kFailed) facts_.add_loss(stage, last->message);
  }
  state_.note_file(pipeline_.file, pipeline_.arguments);

  RunInfo info{session_.id(),       pipeline_.label(), store_.layout().outputs(), 0, 0,
               options_.limits.cpus};
  for (const StageId stage : pipeline_.stages.ids()) {
    const bool is_selected = options_.selection.has(graph_.node_of(stage));
    info.selected += is_selected;
    info.fresh += plan_.finished[stage] != nullptr;
    if (is_selected && !plan_.finished[stage]) info.queued.push_back(pipeline_.stages[stage].name);
  }
  observer_.run_started(info);
  set_aside_stale();
  Schedule schedule = make_schedule();
  for (const StageId stage : pipeline_.stages.ids())
    ranks_.push_back(schedule.variations.rank(stage));
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
  if (!is_superseded()) tidy_outputs();
  summarise(info.selected, std::chrono::duration<double>(Clock::now() - start).count());
  observer_.run_finished(summary_);
  store_.digests().keep();
  return summary_;
}

// After the run: what is shown is what is current.
void Runner::tidy_outputs() {
  restore_fresh();
  if (summary_.done > 0) {  // they may show results that are gone now
    for (const std::string& stage : options_.kept_stages) set_aside(stage, {});
  }
  if (options_.forgets) forget_removed_stages();
}

// Removes stages that are no longer in the file from outputs/ and the history. Their results stay
// in the store until gc.
void Runner::forget_removed_stages() {
  using Names = std::unordered_set<std::string>;
  std::unordered_set<std::string_view> stages(options_.kept_stages.begin(),
                                              options_.kept_stages.end());
  for (const StageSpec& stage : pipeline_.stages) stages.insert(stage.name);
  Names folders(pipeline_.variants.begin(), pipeline_.variants.end());
  folders.insert(pipeline_.other_folders.begin(), pipeline_.other_folders.end());
  const Names variations(pipeline_.kept_variations.begin(), pipeline_.kept_variations.end());
  for (const std::string& stage : state_.others_than(stages)) {
    if (is_of_variation(stage, variations)) continue;
    if (!folders.contains(stage)) tree_.hide(stage);  // else the folder now belongs to that variant
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
  const std::size_t announced =
      summary_.done + summary_.fresh + summary_.failed + summary_.cancelled + summary_.skipped;
  summary_.seconds = seconds;
  summary_.not_started = selected - std::min(selected, announced);
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
  if (pipeline_.is_merged) schedule.variations = variations_of(pipeline_);
  std::vector<std::string> families;
  for (const StageId id : pipeline_.stages.ids()) {
    const StageSpec& stage = pipeline_.stages[id];
    const LastState last = state_.find_similar(stage.name);
    const auto others = of_others.find(stage.family);
    if (plan_.finished[id]) schedule.selected[graph_.node_of(id)] = false;
    const bool is_known = last && last->seconds > 0;
    schedule.seconds.push_back(is_known                    ? last->seconds
                               : others != of_others.end() ? others->second
                                                           : kUnknownSeconds);
    schedule.kinds.push_back(
        is_known || !pipeline_.is_merged ? 0 : 1 + place_of(stage.family, families));
    schedule.cpus.push_back(stage.resources.cpus);
    schedule.memory.push_back(stage.resources.memory);
  }
  return schedule;
}

// The results that are current with the file as it is now, whatever was selected.
Finished Runner::fresh_now() {
  facts_.forget_lists();  // this plan forces nothing, so its results are not those of the run
  Finished fresh = finished_;
  try {
    fresh = make_plan(pipeline_, graph_, store_, state_, facts_, {}).finished;
  } catch (const Error&) {  // what a stage that was not selected needs is missing
  }
  facts_.forget_lists();
  return fresh;
}

// Shortens the history if no other run writes to it, and then writes to it like all others.
void Runner::share_journal() {
  FileSystem& files = store_.files();
  Path lock = store_.layout().latest(pipeline_.name, pipeline_.variant);
  files.make_directories(lock.parent_path());
  lock += Layout::kLockSuffix;
  if (const auto alone = files.try_lock(lock, LockMode::kExclusive)) state_.compact();
  while (!(journal_lock_ = files.try_lock(lock, LockMode::kShared)))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// The outputs tree belongs to the run that began last. Runs of the same files share it.
void Runner::claim_outputs() {
  // By contents alone: their paths depend on the folder that headway is called in.
  std::set<Digest> digests;
  for (const auto& [file, digest] : pipeline_.digests) digests.insert(digest);
  std::string claim;
  for (const Digest& digest : digests) claim += digest.hex() + "\n";
  store_.files().replace(store_.layout().latest(pipeline_.name, pipeline_.variant), claim);
  claim_ = digest_of(claim);
}

// Whether the file was edited and another run of it began. Then our results stay in the store, but
// must not replace what that run shows.
bool Runner::is_superseded() {
  if (is_superseded_ || !scheduler_) return is_superseded_;
  const Path latest = store_.layout().latest(pipeline_.name, pipeline_.variant);
  // Asked several times a stage, so it must not be read each time.
  const std::optional<ContentInfo> claim = store_.digests().digest_file(latest);
  if (!claim || claim->digest == claim_) return false;
  if (!is_superseded_.exchange(true))
    observer_.warning(
        fmt::format("{} was edited, and another run of it has begun: the results of this one are "
                    "kept in the store, but not shown in {}",
                    pipeline_.file.string(), display_path(tree_.folder())));
  return true;
}

std::vector<StageId> Runner::forced_stages() const {
  std::vector<StageId> forced;
  for (const StageId id : pipeline_.stages.ids()) {
    if (selection_.forces(id)) forced.push_back(id);
  }
  return forced;
}

// A stage with the key of a forced one shares its result, so it must not keep the old one.
void Runner::force_equal_keys() {
  std::set<Digest> keys;
  for (const StageId id : forced_stages()) {
    if (plan_.stages[id].status != StageStatus::kWaiting) keys.insert(plan_.stages[id].key);
  }
  bool has_more = false;
  for (const StageId id : pipeline_.stages.ids()) {
    if (!plan_.finished[id] || !keys.contains(plan_.stages[id].key)) continue;
    selection_.forced[id] = has_more = true;
  }
  if (!has_more) return;
  facts_.forget_lists();
  plan_ = make_plan(pipeline_, graph_, store_, state_, facts_, selection_);
}

// Before anything new is shown: what is no longer current must not look as if it were.
void Runner::set_aside_stale() {
  const Finished fresh = options_.selection.is_everything() ? finished_ : fresh_now();
  const NodeSet behind_forced = with_descendants(graph_, forced_stages());
  for (const StageId id : pipeline_.stages.ids()) {
    const StageSpec& stage = pipeline_.stages[id];
    const bool is_behind = behind_forced[graph_.node_of(id)] && !selection_.forces(id);
    if (!fresh[id] || is_behind) set_aside(stage.name, stage.places);
  }
}

void Runner::set_aside(const std::string& stage, const std::vector<std::string>& places) {
  if (places.empty()) tree_.set_aside(stage);
  for (const std::string& place : places) tree_.set_aside(place);
  const LastState last = state_.find(stage);
  if (!last || last->status != StageStatus::kDone) return;
  StageState state = *last;
  state.status = StageStatus::kWaiting;
  state_.note(stage, state);
}

// Shows again what was not part of this run and is current after all: a stage upstream gave the
// same result, or the file is as it was.
void Runner::restore_fresh() {
  std::vector<StageId> aside;
  for (const StageId id : pipeline_.stages.ids()) {
    if (finished_[id]) continue;
    const LastState last = state_.find(pipeline_.stages[id].name);
    if (last && last->status == StageStatus::kWaiting) aside.push_back(id);
  }
  if (aside.empty()) return;
  const Finished fresh = fresh_now();
  for (const StageId id : aside) {
    if (!fresh[id]) continue;
    show(id, *fresh[id], /*thorough=*/true);
    note_done(pipeline_.stages[id].name, *fresh[id], {.status = StageStatus::kFresh});
  }
}

// Shows fresh results and checks their expectations. A broken expectation stops downstream stages,
// like any failure, and its variations.
void Runner::finish_fresh(Schedule& schedule) {
  for (const NodeId node : graph_.order) {
    if (!graph_.is_stage(node) || !plan_.finished[graph_.stage_of(node)]) continue;
    const StageId stage = graph_.stage_of(node);
    StageEnd end{.stage = pipeline_.stages[stage].name, .status = StageStatus::kFresh};
    bool broken = false;
    try {
      const WorkResult result = finish(stage, plan_.finished[stage], end);
      if (result.status == StageStatus::kDone) continue;
      broken = result.ends_variations;
    } catch (const Error& error) {
      end.status = StageStatus::kFailed;
      end.message = error.what();
      end_badly(stage, end);
    }
    NodeSet lost = lost_without(graph_, stage);
    if (broken) {
      for (const StageId other : schedule.variations.give_up(stage))
        lost[graph_.node_of(other)] = true;
    }
    for (const NodeId other : lost.ids()) {
      if (!lost[other] || !schedule.selected[other]) continue;
      schedule.selected[other] = false;
      if (graph_.is_stage(other)) skip(graph_.stage_of(other), stage);
    }
  }
}

void Runner::guard(StageId stage, const std::function<void()>& part) {
  StageEnd end{.stage = pipeline_.stages[stage].name};
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
  end_stage(stage, end_badly(stage, end));
}

void Runner::post(StageId stage, std::function<void()> part) {
  scheduler_->post(stage, [this, stage, part = std::move(part)] { guard(stage, part); });
}

void Runner::end_stage(StageId stage, const WorkResult& result) {
  work_[stage].reset();
  const bool stops = result.ends_all || !options_.limits.keep_going;
  scheduler_->end(stage, result);
  // On a cluster, stages that count as running may only be waiting for a node.
  if (result.status == StageStatus::kFailed && stops) attempts_.executor.drop_waiting();
}

void Runner::start_stage(StageId stage) {
  guard(stage, [&] {
    const StagePlan& plan = update_plan(stage);
    work_[stage] = std::make_unique<Work>();
    bool made_before = false;
    if (const std::optional<WorkResult> instead = claim(plan.key, stage, made_before))
      return end_stage(stage, *instead);
    work_[stage]->forced = selection_.forces(stage) && !made_before;
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
  end_stage(stage, finish(stage, std::make_shared<const Record>(std::move(*record)),
                          {.stage = spec.name, .status = StageStatus::kFresh}));
}

void Runner::prepare_making(StageId stage, const std::string& damage) {
  const StageSpec& spec = pipeline_.stages[stage];
  StagePlan& plan = plan_.stages[stage];
  Work& work = *work_[stage];
  plan.damage = damage;
  if (!damage.empty())
    observer_.warning(fmt::format("{}; stage '{}' makes it again", damage, spec.name));
  work.reason = reason(pipeline_, spec, plan, state_.find_similar(spec.name), store_);
  work.attempt.emplace(attempts_, spec, plan.key, plan.facts, finished_, work.forced,
                       ranks_[stage]);
}

void Runner::start_attempt(StageId stage) {
  const StageSpec& spec = pipeline_.stages[stage];
  Work& work = *work_[stage];
  const std::string continues = work.attempt->prepare();
  if (work.attempt->number() > 1) {
    work.reason =
        work.attempt->was_lost() ? "the attempt before was lost" : "the attempt before failed";
  }
  const LastState last = state_.find_similar(spec.name);
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
  end_stage(stage, outcome.record ? finish(stage, outcome.record, std::move(outcome.end))
                                  : end_badly(stage, outcome.end));
}

void Runner::show(StageId stage, const Record& record, bool thorough) {
  if (is_superseded()) return;
  const StageSpec& spec = pipeline_.stages[stage];
  if (spec.places.empty()) tree_.show(spec.name, record, thorough);
  for (const std::string& place : spec.places) tree_.show(place, record, thorough);
}

// The stage has its result, old or new: show it, check it, let the successors go.
WorkResult Runner::finish(StageId stage, const std::shared_ptr<const Record>& record,
                          StageEnd end) {
  const StageSpec& spec = pipeline_.stages[stage];
  end.key = record->key.hex();
  end.record = record;
  end.folder = tree_.folder() / (spec.places.empty() ? spec.name : spec.places.front());
  const LastState last = state_.find(spec.name);
  const bool as_before = record->remembered && last && last->status == StageStatus::kDone;
  show(stage, *record, /*thorough=*/!as_before);
  UnmetExpectations missed;
  if (!spec.expectations.empty()) missed = unmet(spec.expectations, read_metrics(store_, *record));
  finished_[stage] = record;
  end.warning = missed.warnings;
  if (!missed.failures.empty()) {
    end.status = StageStatus::kFailed;
    end.message = missed.failures;
    end.log = "";
    note(spec.name, StageStatus::kFailed, record->key, end.message);
    facts_.add_loss(stage, end.message);
    announce(end);
    return {.status = StageStatus::kFailed, .ends_variations = true};
  }
  if (!as_before) note_done(spec.name, *record, end);
  announce(end);
  return {.status = StageStatus::kDone, .seconds = end.seconds};
}

WorkResult Runner::end_badly(StageId stage, const StageEnd& end) {
  const StageSpec& spec = pipeline_.stages[stage];
  const bool cancelled = end.status == StageStatus::kCancelled;
  try {
    note(spec.name, cancelled ? StageStatus::kCancelled : StageStatus::kFailed,
         Digest::from_hex(end.key).value_or(Digest()), cancelled ? "" : end.message);
  } catch (const Error&) {  // the disk that failed the stage may fail its history too; the end
                            // says it all
  }
  facts_.add_loss(stage, end.message);
  announce(end);
  if (cancelled) return {StageStatus::kCancelled};
  // On a full disk all stages would fail alike, so one failure ends the run.
  return {StageStatus::kFailed, {}, store_.files().is_full(session_.work())};
}

void Runner::skip(StageId stage, StageId because_of) {
  const std::string why = fmt::format("{} failed", pipeline_.stages[because_of].name);
  facts_.add_loss(stage, fmt::format("{}: {}", why, facts_.loss_of(because_of)));
  announce(
      {.stage = pipeline_.stages[stage].name, .status = StageStatus::kSkipped, .message = why});
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

StageState Runner::state_after(const std::string& stage, StageStatus status, const Digest& key,
                               const std::string& message) const {
  const LastState last = state_.find(stage);
  StageState state = last ? *last : StageState();
  state.status = status;
  state.key = key;
  state.message = message;
  state.finished = store_.files().now_ns() / 1'000'000'000;
  return state;
}

void Runner::note(const std::string& stage, StageStatus status, const Digest& key,
                  const std::string& message) {
  if (!is_superseded()) state_.note(stage, state_after(stage, status, key, message));
}

void Runner::note_done(const std::string& stage, const Record& record, const StageEnd& end) {
  StageState state = state_after(stage, StageStatus::kDone, record.key, "");
  if (state.good_key != record.key) state.previous_key = std::exchange(state.good_key, record.key);
  if (end.status == StageStatus::kDone) state.seconds = end.seconds;
  state.record_stamp = store_.record_stamp(record.key);
  state.outputs = record.outputs;
  if (!is_superseded()) state_.note(stage, state);
}

}  // namespace headway
