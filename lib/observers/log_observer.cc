#include "lib/observers/log_observer.h"

#include <fmt/format.h>

#include "lib/base/text.h"
#include "lib/observers/messages.h"

namespace headway {
namespace {

constexpr auto kProgressEvery = std::chrono::seconds(10);
constexpr auto kHeadlineEvery = std::chrono::seconds(2);

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
  if (!run_.groups.empty()) return;  // hundreds of them: logged when they took a while
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
    case StageReport::Status::kFailed:
      logger_->error(std::string(trim(failure_text(report))));
      break;
    case StageReport::Status::kFresh:
      if (running_ && run_.groups.empty())
        info(finished_text(report));  // it turned out fresh: early cutoff
      break;
    default:
      if (run_.groups.empty() || report.seconds >= kShortStage) info(finished_text(report));
  }
}

void LogObserver::headline_changed(const Headline& headline) {
  headline_ = headline;
  if (!running_ || headline.ended == logged_ended_ ||
      Clock::now() - last_headline_ < kHeadlineEvery)
    return;
  log_headline();
}

void LogObserver::log_headline() {
  logged_ended_ = headline_.ended;
  last_headline_ = Clock::now();
  info(fmt::format("{}: {}", printable(run_.pipeline), printable(headline_.text)));
}

void LogObserver::warning(const std::string& text) {
  logger_->warn(printable_lines(text));
}

void LogObserver::run_finished(const RunSummary& summary) {
  if (!run_.groups.empty()) log_headline();
  info(summary_text(run_, summary));
  logger_->flush();
}

}  // namespace headway
