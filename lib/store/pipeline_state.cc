#include "lib/store/pipeline_state.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/json.h"

namespace headway {
namespace {

constexpr const char* kNames[] = {"running", "done", "failed", "cancelled"};

Json to_json(const std::string& stage, const StageState& state) {
  Json line = {{"stage", stage}, {"status", kNames[static_cast<std::size_t>(state.status)]}, {"key", state.key.hex()}};
  if (!state.good_key.empty()) line["good"] = state.good_key == state.key ? "=" : state.good_key.hex();
  if (!state.previous_key.empty()) line["previous"] = state.previous_key.hex();
  if (state.seconds > 0) line["seconds"] = state.seconds;
  if (state.finished > 0) line["finished"] = state.finished;
  if (!state.message.empty()) line["message"] = state.message;
  return line;
}

StageState from_json(const Json& line) {
  StageState state;
  const std::string status = line.value("status", "");
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (status == kNames[i]) state.status = static_cast<StageStatus>(i);
  }
  state.key = Digest::from_hex(line.value("key", "")).value_or(Digest());
  const std::string good = line.value("good", "");
  state.good_key = good == "=" ? state.key : Digest::from_hex(good).value_or(Digest());
  state.previous_key = Digest::from_hex(line.value("previous", "")).value_or(Digest());
  state.seconds = line.value("seconds", 0.0);
  state.finished = line.value("finished", std::int64_t{0});
  state.message = line.value("message", "");
  return state;
}

bool same(const StageState& a, const StageState& b) {
  return a.status == b.status && a.key == b.key && a.good_key == b.good_key && a.message == b.message;
}

}  // namespace

PipelineState::PipelineState(FileSystem& files, const Layout& layout, const std::string& pipeline, const std::string& variant)
    : journal_(files, layout.state(pipeline, variant)) {
  load();
}

void PipelineState::load() {
  const std::vector<std::string> lines = journal_.read();
  for (const std::string& text : lines) {
    const std::optional<Json> line = parse_json(text);
    if (!line || !line->is_object()) continue;
    try {
      if (line->contains("file")) {
        file_ = line->at("file");
      } else if (line->contains("forget")) {
        stages_.erase(line->at("forget").get<std::string>());
      } else {
        stages_[line->at("stage")] = from_json(*line);
      }
    } catch (const Json::exception&) {  // a line of another version
    }
  }
  if (lines.size() < 100 || lines.size() < 4 * stages_.size()) return;
  std::vector<std::string> fewer{to_line({{"file", file_}})};
  for (const auto& [stage, state] : stages_) fewer.push_back(to_line(to_json(stage, state)));
  try {
    journal_.rewrite(fewer);
  } catch (const Error&) {  // reading a read-only store is fine
  }
}

std::optional<StageState> PipelineState::find(const std::string& stage) const {
  const std::lock_guard lock(mutex_);
  const auto found = stages_.find(stage);
  return found == stages_.end() ? std::nullopt : std::optional(found->second);
}

std::map<std::string, StageState> PipelineState::all() const {
  const std::lock_guard lock(mutex_);
  return stages_;
}

void PipelineState::note(const std::string& stage, const StageState& state) {
  const std::lock_guard lock(mutex_);
  const auto found = stages_.find(stage);
  if (found != stages_.end() && same(found->second, state)) return;
  stages_[stage] = state;
  journal_.append(to_line(to_json(stage, state)));
}

void PipelineState::forget(const std::string& stage) {
  const std::lock_guard lock(mutex_);
  if (stages_.erase(stage) > 0) journal_.append(to_line({{"forget", stage}}));
}

std::string PipelineState::file() const {
  const std::lock_guard lock(mutex_);
  return file_;
}

void PipelineState::note_file(const std::string& file) {
  const std::lock_guard lock(mutex_);
  if (file_ == file) return;
  file_ = file;
  journal_.append(to_line({{"file", file}}));
}

std::vector<KnownPipeline> known_pipelines(FileSystem& files, const Layout& layout) {
  std::vector<KnownPipeline> known;
  for (const std::string& entry : files.list(layout.states())) {
    if (entry.find(".tmp-") != std::string::npos) continue;
    const std::size_t at = entry.find('@');
    const auto info = files.info(layout.states() / entry);
    known.push_back({entry.substr(0, at), at == std::string::npos ? "" : entry.substr(at + 1), info ? info->mtime_ns : 0});
  }
  std::stable_sort(known.begin(), known.end(), [](const auto& a, const auto& b) { return a.last_used > b.last_used; });
  return known;
}

}  // namespace headway
