// A run as plain log lines, through spdlog: what people see where there is no terminal.
#pragma once

#include <spdlog/logger.h>

#include <chrono>
#include <map>
#include <memory>

#include "lib/run/observer.h"

namespace headway {

class LogObserver final : public Observer {
 public:
  // `quiet`: only warnings and failures.
  LogObserver(std::shared_ptr<spdlog::logger> logger, bool quiet)
      : logger_(std::move(logger)), quiet_(quiet) {}

  void run_started(const RunInfo& info) override;
  void stage_started(const StageStart& start) override;
  void stage_progress(const std::string& stage, double fraction, const std::string& words) override;
  void stage_finished(const StageReport& report) override;
  void headline_changed(const Headline& headline) override;
  void warning(const std::string& text) override;
  void run_finished(const RunSummary& summary) override;

 private:
  using Clock = std::chrono::steady_clock;
  void info(const std::string& text);
  void log_headline();

  std::shared_ptr<spdlog::logger> logger_;
  const bool quiet_;
  RunInfo run_;
  std::map<std::string, Clock::time_point> last_progress_;
  Headline headline_;
  std::size_t logged_ended_ = 0;  // Headline::ended when it was logged last
  Clock::time_point last_headline_;
  bool running_ = false;  // past the stages that were found fresh at the start
};

}  // namespace headway
