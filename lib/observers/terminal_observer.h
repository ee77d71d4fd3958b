// A run on a terminal: one live line for each running stage with progress and time left, a summary
// line below, finished stages scrolling above. Redrawn ten times a second by a thread of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>

#include "lib/run/observer.h"

namespace headway {

class TerminalObserver final : public Observer {
 public:
  TerminalObserver(std::FILE* out, bool colours);
  ~TerminalObserver() override;

  void run_started(const RunInfo& info) override;
  void stage_started(const StageStart& start) override;
  void stage_progress(const std::string& stage, double fraction, const std::string& words) override;
  void stage_finished(const StageReport& report) override;
  void headline_changed(const Headline& headline) override;
  void warning(const std::string& text) override;
  void run_finished(const RunSummary& summary) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    Clock::time_point start;
    double expected_seconds = 0;
    double fraction = -1;  // unknown
    std::string words;
    std::string reason;
  };

  void redraw_until_told();
  void print_above(const std::string& lines);
  std::string live_lines();
  std::string live_line(const std::string& stage, const Running& running, std::size_t width) const;
  std::string colour(const char* code, const std::string& text) const;

  std::FILE* out_;
  const bool colours_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  RunInfo info_;
  std::map<std::string, Running> running_;
  Headline headline_;
  std::size_t ended_ = 0;
  bool started_any_ = false;
  std::size_t drawn_ = 0;  // live lines on the screen
  std::thread redrawer_;
};

// Columns of the terminal; 80 where it does not say.
std::size_t terminal_width(std::FILE* out);

}  // namespace headway
