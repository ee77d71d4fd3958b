#include "tests/support/recording_observer.h"

#include <fmt/format.h>

namespace headway::testing {

template <class Keep>
void RecordingObserver::note(const std::string& event, Keep keep) {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
    keep();
  }
  if (when) when(event);
}

void RecordingObserver::run_started(const RunInfo& info) {
  note("begin", [&] { info_ = info; });
}

void RecordingObserver::stage_started(const StageStart& start) {
  note("start " + start.stage, [&] { starts_.push_back(start); });
}

void RecordingObserver::stage_progress(const std::string& stage, double fraction,
                                       const std::string& words) {
  note(fmt::format("progress {} {} {}", stage, fraction, words), [] {});
}

void RecordingObserver::stage_finished(const StageEnd& report) {
  note(fmt::format("{} {}", name_of(report.status), report.stage),
       [&] { reports_[report.stage] = report; });
}

// Not recorded as an event: tests wait for what stages do.
void RecordingObserver::headline_changed(const Headline& headline) {
  const std::lock_guard lock(mutex_);
  headlines_.push_back(headline);
}

void RecordingObserver::warning(const std::string& text) {
  note("warning " + text, [&] { warnings_.push_back(text); });
}

void RecordingObserver::run_finished(const RunSummary& summary) {
  note("finish", [&] { summary_ = summary; });
}

std::vector<std::string> RecordingObserver::events() {
  const std::lock_guard lock(mutex_);
  return events_;
}

std::vector<std::string> RecordingObserver::warnings() {
  const std::lock_guard lock(mutex_);
  return warnings_;
}

std::vector<StageStart> RecordingObserver::starts() {
  const std::lock_guard lock(mutex_);
  return starts_;
}

std::map<std::string, StageEnd> RecordingObserver::reports() {
  const std::lock_guard lock(mutex_);
  return reports_;
}

std::vector<Headline> RecordingObserver::headlines() {
  const std::lock_guard lock(mutex_);
  return headlines_;
}

std::vector<VariationEnd> RecordingObserver::variation_ends() {
  const std::lock_guard lock(mutex_);
  return variation_ends_;
}

void RecordingObserver::variation_finished(const VariationEnd& end) {
  const std::lock_guard lock(mutex_);
  variation_ends_.push_back(end);
}

RunInfo RecordingObserver::info() {
  const std::lock_guard lock(mutex_);
  return info_;
}

RunSummary RecordingObserver::summary() {
  const std::lock_guard lock(mutex_);
  return summary_;
}

}  // namespace headway::testing
