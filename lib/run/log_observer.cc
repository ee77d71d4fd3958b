#include "lib/run/log_observer.h"

#include <fmt/format.h>

#include "lib/base/text.h"
#include "lib/run/messages.h"

namespace headway {
namespace {

constexpr auto kProgressEvery = std::chrono::seconds(10);

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
  info(fmt::format("{}: started{} ({})", start.stage,
                   start.attempt > 1 ? fmt::format(", attempt {}", start.attempt) : "",
                   start.reason));
}

void LogObserver::stage_progress(const std::string& stage, double fraction,
                                 const std::string& words) {
  Clock::time_point& last = last_progress_[stage];
  if (Clock::now() - last < kProgressEvery) return;
  last = Clock::now();
  info(fmt::format("{}: {:.0f} % {}", stage, 100 * fraction, words));
}

void LogObserver::stage_finished(const StageReport& report) {
  last_progress_.erase(report.stage);
  switch (report.status) {
    case StageReport::Status::kFailed:
      logger_->error(std::string(trim(failure_text(report))));
      break;
    case StageReport::Status::kFresh:
      if (running_) info(finished_text(report));  // it turned out fresh: early cutoff
      break;
    default:
      info(finished_text(report));
  }
}

void LogObserver::warning(const std::string& text) {
  logger_->warn(text);
}

void LogObserver::run_finished(const RunSummary& summary) {
  info(summary_text(run_, summary));
  logger_->flush();
}

}  // namespace headway
