#include <fmt/format.h>

#include <chrono>
#include <map>

#include "lib/base/text.h"
#include "lib/observers/messages.h"
#include "lib/observers/observers.h"

namespace headway {
namespace {

constexpr auto kProgressEvery = std::chrono::seconds(10);
constexpr auto kHeadlineEvery = std::chrono::seconds(2);

class LogObserver final : public Observer {
 public:
  LogObserver(std::shared_ptr<spdlog::logger> logger, bool quiet)
      : logger_(std::move(logger)), quiet_(quiet) {}

  void run_started(const RunInfo& run) override {
    run_ = run;
    info(start_text(run));
  }

  void stage_started(const StageStart& start) override {
    running_ = true;
    last_progress_[start.stage] = Clock::now();
    if (run_.groups.empty()) info(started_text(start));  // groups may have hundreds of stages
  }

  void stage_progress(const std::string& stage, double fraction,
                      const std::string& words) override {
    Clock::time_point& last = last_progress_[stage];
    if (Clock::now() - last < kProgressEvery) return;
    last = Clock::now();
    info(progress_text(stage, fraction, words));
  }

  void stage_finished(const StageEnd& report) override {
    last_progress_.erase(report.stage);
    switch (report.status) {
      case StageStatus::kFailed:
        logger_->error(std::string(trim(failure_text(report))));
        break;
      case StageStatus::kFresh:  // early cutoff, if anything has run
        if (running_ && run_.groups.empty()) info(finished_text(report));
        break;
      default:
        if (run_.groups.empty() || report.seconds >= kShortStage) info(finished_text(report));
    }
  }

  void headline_changed(const Headline& headline) override {
    headline_ = headline;
    const bool is_due = Clock::now() - last_headline_ >= kHeadlineEvery;
    if (running_ && headline.ended != logged_ended_ && is_due) log_headline();
  }

  void warning(const std::string& text) override { logger_->warn(printable_lines(text)); }

  void run_finished(const RunSummary& summary) override {
    if (!run_.groups.empty()) log_headline();
    info(summary_text(run_, summary));
    logger_->flush();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void info(const std::string& text) {
    if (!quiet_) logger_->info(text);
  }

  void log_headline() {
    logged_ended_ = headline_.ended;
    last_headline_ = Clock::now();
    info(fmt::format("{}: {}", printable(run_.pipeline), printable(headline_.text)));
  }

  const std::shared_ptr<spdlog::logger> logger_;
  const bool quiet_;
  RunInfo run_;
  std::map<std::string, Clock::time_point> last_progress_;
  Headline headline_;
  std::size_t logged_ended_ = 0;  // Headline::ended when it was last logged
  Clock::time_point last_headline_;
  bool running_ = false;  // a stage has started
};

}  // namespace

std::unique_ptr<Observer> make_log_observer(std::shared_ptr<spdlog::logger> logger, bool quiet) {
  return std::make_unique<LogObserver>(std::move(logger), quiet);
}

}  // namespace headway
