#include "lib/base/json.h"
#include "lib/observers/observers.h"

namespace headway {
namespace {

class JsonObserver final : public Observer {
 public:
  explicit JsonObserver(std::FILE* out) : out_(out) {}

  void run_started(const RunInfo& info) override {
    Json event = {{"event", "run-started"},    {"run", info.id},
                  {"pipeline", info.pipeline}, {"outputs", info.outputs.string()},
                  {"stages", info.selected},   {"fresh", info.fresh},
                  {"cpus", info.cpus}};
    if (info.fields.is_object()) event.update(info.fields);
    write(event);
  }

  void stage_started(const StageStart& start) override {
    write({{"event", "stage-started"},
           {"stage", start.stage},
           {"reason", start.reason},
           {"expected_seconds", start.expected_seconds},
           {"attempt", start.attempt}});
  }

  void stage_progress(const std::string& stage, double fraction,
                      const std::string& words) override {
    write(
        {{"event", "stage-progress"}, {"stage", stage}, {"fraction", fraction}, {"words", words}});
  }

  void stage_finished(const StageEnd& report) override {
    Json event = {{"event", "stage-finished"},
                  {"stage", report.stage},
                  {"status", status_name(report.status)},
                  {"seconds", report.seconds},
                  {"key", report.key}};
    if (!report.message.empty()) event["message"] = report.message;
    if (!report.log.empty()) event["log"] = report.log.string();
    if (!report.log_tail.empty()) event["log_tail"] = report.log_tail;
    write(event);
  }

  void headline_changed(const Headline& headline) override { write(headline.event); }

  void warning(const std::string& text) override {
    write({{"event", "warning"}, {"message", text}});
  }

  void run_finished(const RunSummary& summary) override {
    write({{"event", "run-finished"},
           {"seconds", summary.seconds},
           {"done", summary.done},
           {"fresh", summary.fresh},
           {"failed", summary.failed},
           {"interrupted", summary.cancelled},
           {"skipped", summary.skipped},
           {"not_started", summary.not_started},
           {"exit_code", summary.exit_code}});
  }

 private:
  void write(const Json& event) {
    const std::string line = to_line(event) + "\n";
    std::fwrite(line.data(), 1, line.size(), out_);
    std::fflush(out_);
  }

  std::FILE* out_;
};

}  // namespace

std::unique_ptr<Observer> make_json_observer(std::FILE* out) {
  return std::make_unique<JsonObserver>(out);
}

}  // namespace headway
