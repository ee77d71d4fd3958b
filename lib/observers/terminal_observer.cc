#include "lib/observers/terminal_observer.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "lib/base/text.h"
#include "lib/numerics/thread_team.h"
#include "lib/observers/messages.h"

namespace headway {
namespace {

constexpr auto kRedrawEvery = std::chrono::milliseconds(100);
constexpr std::size_t kMostLiveLines = 20;
constexpr const char* kGreen = "32";
constexpr const char* kRed = "31";
constexpr const char* kYellow = "33";
constexpr const char* kDim = "2";

std::string bar(double fraction) {
  constexpr int kWidth = 12;
  const int full = std::clamp(static_cast<int>(fraction * kWidth), 0, kWidth);
  std::string text;
  for (int i = 0; i < kWidth; ++i) text += i < full ? "━" : "─";
  return text;
}

}  // namespace

std::size_t terminal_width(std::FILE* out) {
  winsize size{};
  if (::ioctl(::fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

TerminalObserver::TerminalObserver(std::FILE* out, bool colours)
    : out_(out), colours_(colours), redrawer_(start_thread([this] { redraw_until_told(); })) {}

TerminalObserver::~TerminalObserver() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  redrawer_.join();
}

void TerminalObserver::redraw_until_told() {
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, kRedrawEvery, [&] { return stopping_; })) {
    if (!running_.empty()) print_above("");
  }
}

// The only escape sequences in the text are ours.
std::string TerminalObserver::colour(const char* code, const std::string& text) const {
  const std::string clean = printable_lines(text);
  return colours_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, clean) : clean;
}

// Called with mutex_ held. One write, so that nothing flickers.
void TerminalObserver::print_above(const std::string& lines) {
  std::string text = drawn_ > 0 ? fmt::format("\x1b[{}A\r\x1b[J", drawn_) : "";
  text += lines;
  text += live_lines();
  std::fwrite(text.data(), 1, text.size(), out_);
  std::fflush(out_);
}

std::string TerminalObserver::live_lines() {
  drawn_ = 0;
  if (running_.empty()) return "";
  const std::size_t width = std::max<std::size_t>(20, terminal_width(out_)) - 1;
  std::string text;
  for (const auto& [stage, running] : running_) {
    if (drawn_ == kMostLiveLines) break;
    text += live_line(stage, running, width) + "\n";
    ++drawn_;
  }
  const std::string summary =
      !info_.groups.empty()
          ? headline_.text
          : fmt::format("{} of {} ended, {} running", ended_, info_.selected, running_.size());
  text += colour(kDim, fit(fmt::format("{}: {}", info_.pipeline, summary), width)) + "\n";
  ++drawn_;
  return text;
}

std::string TerminalObserver::live_line(const std::string& stage, const Running& running,
                                        std::size_t width) const {
  const double elapsed = std::chrono::duration<double>(Clock::now() - running.start).count();
  std::string left;
  double fraction = running.fraction;
  if (fraction > 0.001) {
    left = fmt::format(", {} left", format_seconds(elapsed / fraction * (1 - fraction)));
  } else if (fraction < 0 && running.expected_seconds > 0.5) {  // from earlier runs
    fraction = std::min(0.99, elapsed / running.expected_seconds);
    left = elapsed < running.expected_seconds
               ? fmt::format(", about {} left", format_seconds(running.expected_seconds - elapsed))
               : "";
  }
  std::string line = fmt::format("{} {}{}", stage, format_seconds(elapsed), left);
  if (fraction >= 0) line = fmt::format("{} {:3.0f} % {}", bar(fraction), 100 * fraction, line);
  if (!running.words.empty()) line += "  " + running.words;
  return fit(printable(line), width);
}

void TerminalObserver::run_started(const RunInfo& info) {
  const std::lock_guard lock(mutex_);
  info_ = info;
  print_above(start_text(info) + "\n");
}

void TerminalObserver::stage_started(const StageStart& start) {
  const std::lock_guard lock(mutex_);
  started_any_ = true;
  running_[start.stage] = {Clock::now(), start.expected_seconds, -1, "", start.reason};
}

void TerminalObserver::stage_progress(const std::string& stage, double fraction,
                                      const std::string& words) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(stage);
  if (found == running_.end()) return;
  found->second.fraction = std::clamp(fraction, 0.0, 1.0);
  found->second.words = words;
}

void TerminalObserver::stage_finished(const StageReport& report) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(report.stage);
  const std::string why = found == running_.end() ? "" : "  " + colour(kDim, found->second.reason);
  if (found != running_.end()) running_.erase(found);
  ++ended_;
  switch (report.status) {
    case StageReport::Status::kDone:
      if (!info_.groups.empty() && report.seconds < kShortStage) break;
      print_above(colour(kGreen, "✓ ") + finished_text(report) + why + "\n");
      break;
    case StageReport::Status::kFailed:
      print_above(colour(kRed, "✗ " + failure_text(report)));
      break;
    case StageReport::Status::kCancelled:
    case StageReport::Status::kSkipped:
      print_above(colour(kYellow, "- " + finished_text(report)) + "\n");
      break;
    case StageReport::Status::kFresh:
      if (started_any_ && info_.groups.empty())
        print_above(colour(kGreen, "= ") + finished_text(report) + "\n");
      break;
  }
}

void TerminalObserver::headline_changed(const Headline& headline) {
  const std::lock_guard lock(mutex_);
  headline_ = headline;
}

void TerminalObserver::warning(const std::string& text) {
  const std::lock_guard lock(mutex_);
  print_above(colour(kYellow, "! " + text) + "\n");
}

void TerminalObserver::run_finished(const RunSummary& summary) {
  const std::lock_guard lock(mutex_);
  running_.clear();
  if (!info_.groups.empty())
    print_above(fmt::format("{}: {}\n", printable(info_.pipeline), printable(headline_.text)));
  print_above(colour(summary.exit_code == 0 ? kGreen : kRed, summary_text(info_, summary)) + "\n");
}

}  // namespace headway
