#include "lib/run/live_run.h"

#include <algorithm>
#include <set>

#include "lib/base/error.h"

namespace headway {
namespace {

const LiveStage kJustStarted{};

Json stage_json(const LiveStage& stage) {
  if (stage.since == 0) return Json::object();
  Json json = {{"since", stage.since}, {"attempt", stage.attempt}};
  if (stage.fraction >= 0) json["fraction"] = stage.fraction;
  if (!stage.words.empty()) json["words"] = stage.words;
  if (!stage.node.empty()) json["node"] = stage.node;
  if (!stage.waiting.empty()) json["waiting"] = stage.waiting;
  return json;
}

}  // namespace

Json LiveRun::to_json() const {
  Json live = Json::object();
  for (const auto& [name, stage] : stages) live[name] = stage_json(stage);
  return {{"run", id},
          {"pipeline", pipeline},
          {"started", started},
          {"headline", headline},
          {"stages", std::move(live)}};
}

std::optional<LiveRun> LiveRun::parse(const std::string& text) {
  const std::optional<Json> json = parse_json(text);
  if (!json || !json->is_object()) return std::nullopt;
  try {
    LiveRun run{json->at("run"), json->at("pipeline"), json->at("started"), json->at("headline")};
    for (const auto& [name, stage] : json->at("stages").items())
      run.stages[name] = {.since = stage.value("since", std::int64_t{0}),
                          .attempt = stage.value("attempt", 1),
                          .fraction = stage.value("fraction", kUnknownFraction),
                          .words = stage.value("words", ""),
                          .node = stage.value("node", ""),
                          .waiting = stage.value("waiting", "")};
    return run;
  } catch (const Json::exception&) {  // somebody changed it
    return std::nullopt;
  }
}

std::vector<LiveRun> live_runs(FileSystem& files, const Layout& layout, std::vector<LiveRun> runs) {
  try {
    for (const std::string& name : files.list(layout.works())) {
      if (!name.ends_with(Layout::kLockSuffix) || !files.is_locked(layout.works() / name)) continue;
      const std::string id = name.substr(0, name.rfind(Layout::kLockSuffix));
      const std::string text = files.read(layout.live_run(id)).value_or("");
      runs.push_back(LiveRun::parse(text).value_or(LiveRun{id, ""}));
    }
  } catch (const Error&) {  // a store that may not be read
  }
  return runs;
}

LiveStages::LiveStages(FileSystem& files, const Layout& layout, const std::string& pipeline,
                       std::vector<LiveRun> runs, std::vector<DetachedStage> detached)
    : files_(files), layout_(layout), runs_(std::move(runs)), detached_(std::move(detached)) {
  std::erase_if(
      runs_, [&](const LiveRun& run) { return !run.pipeline.empty() && run.pipeline != pipeline; });
}

const LiveStage* LiveStages::running(const std::string& stage, const LastState& last) const {
  if (!last || last->status != StageStatus::kRunning) return nullptr;
  const LiveStage* found = nullptr;
  bool may_be_others = false;  // a run that says nothing of itself
  for (const LiveRun& run : runs_) {
    may_be_others = may_be_others || run.pipeline.empty();
    const auto entry = run.stages.find(stage);
    if (entry != run.stages.end() && (!found || found->since <= entry->second.since))
      found = &entry->second;
  }
  if (!found && may_be_others && files_.is_locked(layout_.lock(last->key))) return &kJustStarted;
  return found;
}

bool LiveStages::is_queued(const std::string& stage, const LastState& last) const {
  const bool has_ended = last && last->status != StageStatus::kWaiting;
  return std::ranges::any_of(runs_, [&](const LiveRun& run) {
    const auto entry = run.stages.find(stage);
    return entry != run.stages.end() && entry->second.since == 0 &&
           !(has_ended && last->finished >= run.started);
  });
}

const DetachedStage* LiveStages::detached(const Digest& key) const {
  const auto found = std::ranges::find(detached_, key, &DetachedStage::key);
  return found == detached_.end() ? nullptr : &*found;
}

std::size_t LiveStages::queued(const std::map<std::string, LastState>& history) const {
  std::set<std::string> queued;
  for (const LiveRun& run : runs_) {
    for (const auto& [stage, live] : run.stages) {
      const auto entry = history.find(stage);
      const LastState last = entry == history.end() ? nullptr : entry->second;
      if (!running(stage, last) && is_queued(stage, last)) queued.insert(stage);
    }
  }
  return queued.size();
}

std::string LiveStages::headline() const {
  for (const LiveRun& run : runs_) {
    if (!run.headline.empty()) return run.headline;
  }
  return "";
}

}  // namespace headway
