#include <unordered_map>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/observers/messages.h"
#include "lib/observers/observers.h"

namespace headway {
namespace {

class JsonObserver final : public Observer {
 public:
  explicit JsonObserver(std::FILE* out) : out_(out) {}

  void run_started(const RunInfo& info) override {
    Json event = {{"event", "run-started"},
                  {"schema", kJsonSchema},
                  {"run", info.id},
                  {"pipeline", info.pipeline},
                  {"outputs", info.outputs.string()},
                  {"stages", info.selected},
                  {"fresh", info.fresh},
                  {"cpus", info.cpus}};
    if (info.fields.is_object()) event.update(info.fields);
    write(event);
  }

  void stage_started(const StageStart& start) override {
    places_.erase(start.stage);
    write({{"event", "stage-started"},
           {"stage", start.stage},
           {"reason", start.reason},
           {"expected_seconds", start.expected_seconds},
           {"cpus", start.cpus},
           {"attempt", start.attempt}});
  }

  void stage_progress(const std::string& stage, double fraction,
                      const std::string& words) override {
    write({{"event", "stage-progress"},
           {"stage", stage},
           {"fraction", fraction < 0 ? Json(nullptr) : Json(fraction)},
           {"words", words}});
  }

  void stage_placed(const std::string& stage, const JobPlace& place) override {
    const auto [known, is_new] = places_.try_emplace(stage, place);
    if (!is_new && known->second.node == place.node && known->second.waiting == place.waiting)
      return;
    known->second = place;
    write({{"event", "stage-placed"},
           {"stage", stage},
           {"node", place.node},
           {"waiting", place.waiting}});
  }

  void stage_finished(const StageEnd& end) override {
    places_.erase(end.stage);
    Json event = {{"event", "stage-finished"},
                  {"stage", end.stage},
                  {"status", name_of(end.status)},
                  {"seconds", end.seconds},
                  {"cpu_seconds", end.cpu_seconds},
                  {"peak_memory", end.peak_memory},
                  {"key", end.key}};
    if (end.record) add_results(end, event);
    if (end.memory_asked > 0) event["memory_asked"] = end.memory_asked;
    if (!end.node.empty()) event["node"] = end.node;
    if (!end.message.empty()) event["message"] = end.message;
    if (!end.warning.empty()) event["warning"] = end.warning;
    if (!end.log.empty()) event["log"] = end.log.string();
    if (!end.command.empty()) event["command"] = end.command;
    if (!end.log_tail.empty()) event["log_tail"] = end.log_tail;
    write(event);
  }

  void headline_changed(const Headline& headline) override { write(headline.event); }

  void variation_finished(const VariationEnd& end) override { write(end.event); }

  void warning(const std::string& text) override {
    write({{"event", "warning"}, {"message", text}});
  }

  void run_finished(const RunSummary& summary) override {
    Json event = summary_json(summary);
    event["event"] = "run-finished";
    write(event);
  }

 private:
  void add_results(const StageEnd& end, Json& event) {
    Json outputs = Json::object();
    for (const RecordedOutput& output : end.record->outputs)
      outputs[output.name] = (end.folder / output.file).string();
    event["outputs"] = std::move(outputs);
    const RecordedOutput* metrics = end.record->find("metrics");
    if (!metrics) return;
    try {
      event["metrics"] = parse_json(RealFileSystem().read(end.folder / metrics->file).value_or(""))
                             .value_or(Json());
    } catch (const Error&) {  // it is still in its file
    }
  }

  void write(const Json& event) {
    const std::string line = event_line(event);
    std::fwrite(line.data(), 1, line.size(), out_);
    std::fflush(out_);
  }

  std::FILE* out_;
  std::unordered_map<std::string, JobPlace> places_;  // as last told, on a cluster
};

}  // namespace

std::unique_ptr<Observer> make_json_observer(std::FILE* out) {
  return std::make_unique<JsonObserver>(out);
}

}  // namespace headway
