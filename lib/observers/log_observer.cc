#include <fmt/format.h>

#include <chrono>
#include <map>
#include <optional>

#include "lib/base/text.h"
#include "lib/observers/messages.h"
#include "lib/observers/observers.h"

namespace headway {
namespace {

constexpr auto kProgressEvery = std::chrono::seconds(10);
constexpr auto kWordsEvery = std::chrono::seconds(30);  // progress without a fraction
constexpr auto kHeadlineEvery = std::chrono::seconds(2);
constexpr auto kWaitingEvery = std::chrono::minutes(1);
constexpr std::size_t kMostWaitingLogged = 3;  // more stages that wait share a line

class LogObserver final : public Observer {
 public:
  LogObserver(std::shared_ptr<spdlog::logger> logger, bool quiet, LogClock now)
      : logger_(std::move(logger)), quiet_(quiet), now_(std::move(now)) {}

  void run_started(const RunInfo& run) override {
    run_ = run;
    info(start_text(run));
  }

  void stage_started(const StageStart& start) override {
    running_ = true;
    last_progress_[start.stage] = now_();
    waiting_.erase(start.stage);  // it may be another attempt
    if (run_.variations.empty())
      info(started_text(start));  // variations may have hundreds of stages
  }

  void stage_progress(const std::string& stage, double fraction,
                      const std::string& words) override {
    Clock::time_point& last = last_progress_[stage];
    if (now_() - last < (fraction < 0 ? kWordsEvery : kProgressEvery)) return;
    last = now_();
    info(progress_text(stage, fraction, words));
  }

  void stage_placed(const std::string& stage, const JobPlace& place) override {
    if (!place.node.empty()) {
      waiting_.erase(stage);
      if (run_.variations.empty()) info(began_text(stage, place));
      return;
    }
    Waiting& waiting = waiting_[stage];
    if (waiting_.size() > kMostWaitingLogged) return log_number_waiting();
    if (waiting.logged == place.waiting || !is_due(waiting.last)) return;
    waiting = {place.waiting, now_()};
    last_number_ = now_();
    info(waiting_text(stage, place.waiting));
  }

  void stage_finished(const StageEnd& end) override {
    last_progress_.erase(end.stage);
    waiting_.erase(end.stage);
    switch (end.status) {
      case StageStatus::kFailed:
        logger_->error(std::string(trim(failure_text(end))));
        break;
      case StageStatus::kFresh:  // early cutoff, if anything has run
        if (running_ && run_.variations.empty()) info(finished_text(end));
        break;
      default:
        if (run_.variations.empty() || end.seconds >= kShortStage) info(finished_text(end));
    }
    if (!end.warning.empty()) warning(warning_text(end));
  }

  void headline_changed(const Headline& headline) override {
    headline_ = headline;
    const bool is_due = now_() - last_headline_ >= kHeadlineEvery;
    if (running_ && headline.ended != logged_.ended && is_due) log_headline();
  }

  void variation_finished(const VariationEnd& end) override { info(printable(end.text)); }

  void warning(const std::string& text) override { logger_->warn(printable_lines(text)); }

  void run_finished(const RunSummary& summary) override {
    if (headline_.text != logged_.text) log_headline();
    info(summary_text(run_, summary));
    logger_->flush();
  }

 private:
  using Clock = std::chrono::steady_clock;

  struct Waiting {
    std::string logged = {};
    std::optional<Clock::time_point> last = {};
  };

  bool is_due(const std::optional<Clock::time_point>& last) const {
    return !last || now_() - *last >= kWaitingEvery;
  }

  void log_number_waiting() {
    if (!is_due(last_number_) || waiting_.size() == logged_number_) return;
    last_number_ = now_();
    logged_number_ = waiting_.size();
    info(fmt::format("{} stages wait for the cluster", logged_number_));
  }

  void info(const std::string& text) {
    if (!quiet_) logger_->info(text);
  }

  void log_headline() {
    logged_ = headline_;
    last_headline_ = now_();
    info(fmt::format("{}: {}", printable(run_.pipeline), printable(headline_.text)));
  }

  const std::shared_ptr<spdlog::logger> logger_;
  const bool quiet_;
  const LogClock now_;
  RunInfo run_;
  std::map<std::string, Clock::time_point> last_progress_;
  std::map<std::string, Waiting> waiting_;        // for a node of a cluster
  std::optional<Clock::time_point> last_number_;  // when something about waiting was logged
  std::size_t logged_number_ = 0;                 // of stages that wait
  Headline headline_;
  Headline logged_;  // the last one that was logged
  Clock::time_point last_headline_;
  bool running_ = false;  // a stage has started
};

}  // namespace

std::unique_ptr<Observer> make_log_observer(std::shared_ptr<spdlog::logger> logger, bool quiet,
                                            LogClock now) {
  return std::make_unique<LogObserver>(std::move(logger), quiet, std::move(now));
}

}  // namespace headway
