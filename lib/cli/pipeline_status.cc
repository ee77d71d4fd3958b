#include "lib/cli/pipeline_status.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>

#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cluster/detached.h"
#include "lib/observers/messages.h"
#include "lib/run/inspection.h"
#include "lib/run/partial_state.h"

namespace headway {
namespace {

// "19:03:11 (1 min 05 s)"; with its date if that was long ago.
std::string since_text(std::int64_t since) {
  constexpr double kLong = 20 * 3600;
  const auto then = static_cast<std::time_t>(since);
  const double seconds = std::max(0.0, std::difftime(std::time(nullptr), then));
  const std::string time = seconds < kLong ? fmt::format("{:%H:%M:%S}", fmt::localtime(then))
                                           : fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(then));
  return fmt::format("{} ({})", time, format_duration(seconds));
}

class StandingMaker {
 public:
  StandingMaker(const Inspection& inspection, const LiveStages& live)
      : inspection_(inspection), live_(live) {}

  StageStanding make(StageId id) const {
    const StageSpec& stage = inspection_.pipeline.stages[id];
    const LastState last = inspection_.state.find(stage.name);
    StageStanding standing{stage.name, stage.family, "", ""};
    if (!waits(id)) standing.fields["key"] = plan(id).key.hex();
    if (const LiveStage* running = live_.running(stage.name, last))
      describe_running(id, *running, last, standing);
    else
      describe_idle(id, last, standing);
    return standing;
  }

 private:
  const StagePlan& plan(StageId id) const { return inspection_.plan.stages[id]; }
  bool waits(StageId id) const { return plan(id).status == StageStatus::kWaiting; }

  void describe_running(StageId id, const LiveStage& live, const LastState& last,
                        StageStanding& standing) const {
    const bool is_waiting = !live.waiting.empty();
    standing.state = is_waiting ? "waiting" : "running";
    standing.since = is_waiting ? 0 : live.since;
    standing.words = is_waiting ? live.waiting : progress_words(live.fraction, live.words);
    std::vector<std::string> notes;
    if (!live.node.empty()) {
      standing.words = "on " + live.node + (standing.words.empty() ? "" : ", ") + standing.words;
      standing.fields["node"] = live.node;
    }
    if (is_waiting) standing.fields["waiting"] = live.waiting;
    if (live.attempt > 1) notes.push_back(fmt::format("attempt {}", live.attempt));
    if (!waits(id) && plan(id).key != last->key) {
      standing.fields["key"] = last->key.hex();
      notes.push_back("with the file as it was before");
    }
    if (!notes.empty()) standing.words += (standing.words.empty() ? "" : ", ") + join(notes, ", ");
    standing.fields["attempt"] = live.attempt;
    standing.fields["fraction"] = live.fraction < 0 ? Json() : Json(live.fraction);
    standing.fields["progress"] = live.words;
    if (live.since > 0) standing.fields["since"] = iso_time(1000 * live.since);
  }

  void describe_idle(StageId id, const LastState& last, StageStanding& standing) const {
    const auto say = [&](const char* state, const std::string& words) {
      standing.state = state;
      standing.words = words;
    };
    if (plan(id).status == StageStatus::kFresh && !inspection_.has_failed(id)) {
      const Record record = inspection_.store.read_record(plan(id).key).value_or(Record());
      standing.fields["seconds"] = record.seconds;
      standing.fields["finished"] = iso_time(1000 * record.finished);
      const std::string warnings =
          unmet(inspection_.pipeline.stages[id].expectations, inspection_.metrics_of(id)).warnings;
      if (!warnings.empty()) return say("warning", warnings);
      return say("fresh", fmt::format("took {}, {}", format_seconds(record.seconds),
                                      format_age(record.finished)));
    }
    if (live_.is_queued(standing.stage, last)) return say("queued", inspection_.reason_of(id));
    if (const DetachedStage* left = waits(id) ? nullptr : live_.detached(plan(id).key)) {
      standing.since = left->since;
      if (left->since > 0) standing.fields["since"] = iso_time(1000 * left->since);
      return say("detached", left->words + "; run with --on slurm to take it over");
    }
    const bool has_state = plan(id).status == StageStatus::kReady &&
                           has_partial_state(inspection_.store, plan(id).key);
    if (inspection_.has_failed(id))
      return say("failed",
                 last->message + (has_state ? "; the next run goes on from its state" : ""));
    if (has_state) return say("interrupted", "the next run goes on from its state");
    const bool was_stopped =
        last && !waits(id) && last->key == plan(id).key &&
        (last->status == StageStatus::kRunning || last->status == StageStatus::kCancelled);
    if (was_stopped) return say("interrupted", "the next run starts it over");
    const LastState similar = inspection_.state.find_similar(standing.stage);
    if (similar && !similar->good_key.empty()) return say("stale", inspection_.reason_of(id));
    say("never run", waits(id) ? inspection_.reason_of(id) : "");
  }

  const Inspection& inspection_;
  const LiveStages& live_;
};

// One line for all items of a matrix in the same state. Those that run are few, and each is at
// another point.
std::vector<std::vector<std::string>> collapse(const std::vector<StageStanding>& stages,
                                               bool full) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> words;
  for (const StageStanding& stage : stages)
    words[{stage.family, stage.state}].push_back(stage.words);
  std::vector<std::vector<std::string>> table;
  for (const StageStanding& stage : stages) {
    std::vector<std::string>& group = words[{stage.family, stage.state}];
    if (full || group.size() == 1 || stage.is_running()) {
      table.push_back({"  " + stage.stage, stage.state, stage.text()});
    } else if (group.size() > 1) {
      // The details of one item may not hold for the others.
      const bool same =
          stage.state == "fresh" || std::ranges::count(group, stage.words) == std::ssize(group);
      table.push_back({fmt::format("  {}@… ({})", stage.family, group.size()), stage.state,
                       same ? stage.words : stage.words + ", … (--full)"});
      group.clear();  // done with this group
    }
  }
  return table;
}

}  // namespace

std::string StageStanding::text() const {
  if (since == 0) return words;
  return fmt::format("since {}{}{}", since_text(since), words.empty() ? "" : ": ", words);
}

std::string PipelineStatus::title() const {
  std::map<std::string, std::size_t> counts;
  for (const StageStanding& stage : stages) ++counts[stage.state];
  std::vector<std::string> parts;
  for (const auto& [state, count] : counts) parts.push_back(fmt::format("{} {}", count, state));
  return fmt::format("{} ({}): {}", pipeline, file, join(parts, ", "));
}

std::vector<std::string> PipelineStatus::lines(bool full, std::size_t width) const {
  std::vector<std::string> lines{title()};
  if (!headline.empty()) lines.push_back("  " + headline);
  const std::string table = format_table(collapse(stages, full), width);
  if (table.empty()) return lines;
  for (std::string& line : split(table.substr(0, table.size() - 1), '\n'))
    lines.push_back(std::move(line));
  return lines;
}

Json PipelineStatus::to_json() const {
  Json list = Json::array();
  for (const StageStanding& stage : stages) {
    Json entry = stage.fields;
    entry.update({{"stage", stage.stage}, {"state", stage.state}, {"words", stage.words}});
    list.push_back(std::move(entry));
  }
  return {{"pipeline", pipeline},
          {"file", file},
          {"is_running", is_running},
          {"headline", headline},
          {"stages", std::move(list)}};
}

PipelineStatus status_of(const PipelineSpec& pipeline, Store& store) {
  std::vector<DetachedStage> detached;
  for (DetachedAttempt& attempt : detached_attempts(store.files(), store.layout().cluster()))
    detached.push_back({attempt.key, std::move(attempt.words), attempt.since});
  return status_of(pipeline, store, std::move(detached));
}

PipelineStatus status_of(const PipelineSpec& pipeline, Store& store,
                         std::vector<DetachedStage> detached) {
  std::vector<LiveRun> runs = live_runs(store.files(), store.layout());
  const Inspection inspection(pipeline, store);
  complain_of_damage(inspection);
  runs = live_runs(store.files(), store.layout(), std::move(runs));
  const LiveStages live(store.files(), store.layout(), pipeline.label(), std::move(runs),
                        std::move(detached));
  const StandingMaker maker(inspection, live);
  PipelineStatus status{pipeline.label(), pipeline.file.string(), live.any(), live.headline()};
  for (const NodeId node : inspection.graph.order) {
    if (inspection.graph.is_stage(node))
      status.stages.push_back(maker.make(inspection.graph.stage_of(node)));
  }
  return status;
}

}  // namespace headway
