#include "lib/observers/json_observer.h"

#include "lib/base/json.h"

namespace headway {
namespace {

void write(std::FILE* out, const Json& event) {
  const std::string line = to_line(event) + "\n";
  std::fwrite(line.data(), 1, line.size(), out);
  std::fflush(out);
}

}  // namespace

void JsonObserver::run_started(const RunInfo& info) {
  Json event = {{"event", "run-started"},    {"run", info.id},
                {"pipeline", info.pipeline}, {"outputs", info.outputs.string()},
                {"stages", info.selected},   {"fresh", info.fresh},
                {"cpus", info.cpus}};
  if (info.fields.is_object()) event.update(info.fields);
  write(out_, event);
}

void JsonObserver::stage_started(const StageStart& start) {
  write(out_, {{"event", "stage-started"},
               {"stage", start.stage},
               {"reason", start.reason},
               {"expected_seconds", start.expected_seconds},
               {"attempt", start.attempt}});
}

void JsonObserver::stage_progress(const std::string& stage, double fraction,
                                  const std::string& words) {
  write(out_,
        {{"event", "stage-progress"}, {"stage", stage}, {"fraction", fraction}, {"words", words}});
}

void JsonObserver::stage_finished(const StageReport& report) {
  Json event = {{"event", "stage-finished"},
                {"stage", report.stage},
                {"status", status_name(report.status)},
                {"seconds", report.seconds},
                {"key", report.key}};
  if (!report.message.empty()) event["message"] = report.message;
  if (!report.log.empty()) event["log"] = report.log.string();
  if (!report.log_tail.empty()) event["log_tail"] = report.log_tail;
  write(out_, event);
}

void JsonObserver::headline_changed(const Headline& headline) {
  write(out_, headline.event);
}

void JsonObserver::warning(const std::string& text) {
  write(out_, {{"event", "warning"}, {"message", text}});
}

void JsonObserver::run_finished(const RunSummary& summary) {
  write(out_, {{"event", "run-finished"},
               {"seconds", summary.seconds},
               {"done", summary.done},
               {"fresh", summary.fresh},
               {"failed", summary.failed},
               {"interrupted", summary.cancelled},
               {"skipped", summary.skipped},
               {"not_started", summary.not_started},
               {"exit_code", summary.exit_code}});
}

}  // namespace headway
