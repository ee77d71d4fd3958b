#include "lib/observers/log_observer.h"

#include <fmt/format.h>

#include "lib/base/text.h"
#include "lib/observers/messages.h"

namespace headway {
namespace {

constexpr auto kProgressEvery = std::chrono::seconds(10);
constexpr auto kTrialsEvery = std::chrono::seconds(2);

}  // namespace

void LogObserver::info(const std::string& text) {
  if (!quiet_) logger_->info(text);
}

void LogObserver::run_started(const RunInfo& run) {
  run_ = run;
  info(start_text(run));
}

void LogObserver::stage_started(const StageStart& start) {
  running_ = true;
  last_progress_[start.stage] = Clock::now();
  if (run_.trials > 0) return;  // hundreds of them: told when they took a while
  info(started_text(start));
}

void LogObserver::stage_progress(const std::string& stage, double fraction,
                                 const std::string& words) {
  Clock::time_point& last = last_progress_[stage];
  if (Clock::now() - last < kProgressEvery) return;
  last = Clock::now();
  info(progress_text(stage, fraction, words));
}

void LogObserver::stage_finished(const StageReport& report) {
  last_progress_.erase(report.stage);
  switch (report.status) {
    case StageStatus::kFailed:
      logger_->error(std::string(trim(failure_text(report))));
      break;
    case StageStatus::kFresh:
      if (running_ && run_.trials == 0)
        info(finished_text(report));  // it turned out fresh: early cutoff
      break;
    default:
      if (run_.trials == 0 || report.seconds >= kWorthTelling) info(finished_text(report));
  }
}

void LogObserver::trials_changed(const TrialsProgress& progress) {
  trials_ = progress;
  const std::size_t ended = progress.finished + progress.failed;
  if (!running_ || ended == trials_told_ || Clock::now() - last_trials_ < kTrialsEvery) return;
  tell_trials();
}

void LogObserver::tell_trials() {
  trials_told_ = trials_.finished + trials_.failed;
  last_trials_ = Clock::now();
  info(fmt::format("{}: {}", printable(run_.pipeline), trials_text(trials_)));
}

void LogObserver::warning(const std::string& text) {
  logger_->warn(printable_lines(text));
}

void LogObserver::run_finished(const RunSummary& summary) {
  if (run_.trials > 0) tell_trials();
  info(summary_text(run_, summary));
  logger_->flush();
}

}  // namespace headway
