#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "lib/base/text.h"
#include "lib/base/thread.h"
#include "lib/observers/messages.h"
#include "lib/observers/observers.h"

namespace headway {
namespace {

constexpr auto kRedrawEvery = std::chrono::milliseconds(100);
constexpr std::size_t kMostLiveLines = 20;
constexpr std::size_t kMostWaitingLines = 3;  // that have lines of their own
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

class TerminalObserver final : public Observer {
 public:
  TerminalObserver(std::FILE* out, bool colours)
      : out_(out), colours_(colours), redrawer_(start_thread([this] { redraw_until_stopped(); })) {}
  ~TerminalObserver() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    stop_.notify_all();
    redrawer_.join();
  }

  void run_started(const RunInfo& info) override {
    const std::lock_guard lock(mutex_);
    info_ = info;
    print_above(start_text(info) + "\n");
  }

  void stage_started(const StageStart& start) override {
    const std::lock_guard lock(mutex_);
    started_any_ = true;
    running_[start.stage] = {Clock::now(), start.expected_seconds, kUnknownFraction, "",
                             start.reason};
  }

  void stage_placed(const std::string& stage, const JobPlace& place) override {
    const std::lock_guard lock(mutex_);
    const auto found = running_.find(stage);
    if (found == running_.end()) return;
    Running& running = found->second;
    if (place.node != running.node) {  // its clock starts, or it is sent back to the queue
      running.start = Clock::now();
      running.fraction = kUnknownFraction;
      running.words.clear();
    }
    running.node = place.node;
    running.waiting = place.waiting;
  }

  void stage_progress(const std::string& stage, double fraction,
                      const std::string& words) override {
    const std::lock_guard lock(mutex_);
    const auto found = running_.find(stage);
    if (found == running_.end()) return;
    found->second.fraction = fraction < 0 ? kUnknownFraction : std::min(fraction, 1.0);
    found->second.words = words;
  }

  void stage_finished(const StageEnd& end) override {
    const std::lock_guard lock(mutex_);
    const auto found = running_.find(end.stage);
    const std::string why =
        found == running_.end() ? "" : "  " + colour(kDim, found->second.reason);
    if (found != running_.end()) running_.erase(found);
    ++ended_;
    switch (end.status) {
      case StageStatus::kDone:
        if (!info_.variations.empty() && end.seconds < kShortStage) break;
        print_above(colour(kGreen, "✓ ") + finished_text(end) + why + "\n");
        break;
      case StageStatus::kFailed:
        print_above(colour(kRed, "✗ " + failure_text(end)));
        break;
      case StageStatus::kCancelled:
      case StageStatus::kSkipped:
        print_above(colour(kYellow, "- " + finished_text(end)) + "\n");
        break;
      case StageStatus::kFresh:
        if (started_any_ && info_.variations.empty())
          print_above(colour(kGreen, "= ") + finished_text(end) + "\n");
        break;
      default:  // not an end
        break;
    }
    if (!end.warning.empty()) print_above(colour(kYellow, "! " + warning_text(end)) + "\n");
  }

  void headline_changed(const Headline& headline) override {
    const std::lock_guard lock(mutex_);
    headline_ = headline;
  }

  void variation_finished(const VariationEnd& end) override {
    const std::lock_guard lock(mutex_);
    print_above(colour(kGreen, "✓ ") + printable(end.text) + "\n");
  }

  void warning(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    print_above(colour(kYellow, "! " + text) + "\n");
  }

  void run_finished(const RunSummary& summary) override {
    const std::lock_guard lock(mutex_);
    running_.clear();
    if (!info_.variations.empty())
      print_above(fmt::format("{}: {}\n", printable(info_.pipeline), printable(headline_.text)));
    print_above(colour(summary.exit_code == 0 ? kGreen : kRed, summary_text(info_, summary)) +
                "\n");
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    Clock::time_point start;
    double expected_seconds = 0;
    double fraction = kUnknownFraction;
    std::string words;
    std::string reason;
    std::string node = {};     // of a cluster
    std::string waiting = {};  // for a node; "": it runs
  };

  void redraw_until_stopped() {
    std::unique_lock lock(mutex_);
    while (!stop_.wait_for(lock, kRedrawEvery, [&] { return stopping_; })) {
      if (!running_.empty()) print_above("");
    }
  }

  // Escape sequences in the text itself are replaced.
  std::string colour(const char* code, const std::string& text) const {
    const std::string clean = printable_lines(text);
    return colours_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, clean) : clean;
  }

  // The caller holds mutex_. One write, so that nothing flickers.
  void print_above(const std::string& lines) {
    std::string text = drawn_ > 0 ? fmt::format("\x1b[{}A\r\x1b[J", drawn_) : "";
    text += lines;
    text += live_lines();
    std::fwrite(text.data(), 1, text.size(), out_);
    std::fflush(out_);
  }

  std::string live_lines() {
    drawn_ = 0;
    if (running_.empty()) return "";
    const std::size_t width = std::max<std::size_t>(20, terminal_width(out_)) - 1;
    const auto waiting = static_cast<std::size_t>(std::ranges::count_if(
        running_, [](const auto& entry) { return !entry.second.waiting.empty(); }));
    std::string text;
    const auto draw = [&](const std::string& line) {
      text += line + "\n";
      ++drawn_;
    };
    for (const auto& [stage, running] : running_) {
      if (drawn_ == kMostLiveLines - (waiting > 0 ? 1 : 0)) break;
      if (running.waiting.empty()) draw(live_line(stage, running, width));
    }
    if (waiting > 0) draw_waiting(waiting, width, draw);
    const std::string summary =
        !info_.variations.empty()
            ? headline_.text
            : fmt::format("{} of {} ended, {} running{}", ended_, info_.selected,
                          running_.size() - waiting,
                          waiting > 0 ? fmt::format(", {} waiting", waiting) : "");
    draw(colour(kDim, fit(fmt::format("{}: {}", info_.pipeline, summary), width)));
    return text;
  }

  // Hundreds of stages may wait for a cluster: the first ones show why, and a line counts the rest.
  template <class Draw>
  void draw_waiting(std::size_t waiting, std::size_t width, const Draw& draw) const {
    const std::size_t room = std::min(kMostWaitingLines, kMostLiveLines - drawn_);
    std::size_t shown = 0;
    for (const auto& [stage, running] : running_) {
      if (shown == (waiting <= room ? waiting : room - 1)) break;
      if (running.waiting.empty()) continue;
      draw(colour(kDim,
                  fit(printable(fmt::format("{}  waiting: {}", stage, running.waiting)), width)));
      ++shown;
    }
    if (shown == waiting) return;
    draw(colour(kDim, fit(fmt::format("{}{} waiting for the cluster", drawn_ > 0 ? "… and " : "",
                                      waiting - shown),
                          width)));
  }

  static std::string live_line(const std::string& stage, const Running& running,
                               std::size_t width) {
    const double elapsed = std::chrono::duration<double>(Clock::now() - running.start).count();
    std::string left;
    double fraction = running.fraction;
    if (fraction > 0.001) {
      left = fmt::format(", {} left", format_seconds(elapsed / fraction * (1 - fraction)));
    } else if (fraction < 0 && running.expected_seconds > 0.5) {  // from earlier runs
      fraction = std::min(0.99, elapsed / running.expected_seconds);
      if (elapsed < running.expected_seconds)
        left = fmt::format(", about {} left", format_seconds(running.expected_seconds - elapsed));
    }
    const std::string node = running.node.empty() ? "" : " on " + running.node;
    std::string line = fmt::format("{}{} {}{}", stage, node, format_seconds(elapsed), left);
    if (fraction >= 0) line = fmt::format("{} {:3.0f} % {}", bar(fraction), 100 * fraction, line);
    if (!running.words.empty()) line += "  " + running.words;
    return fit(printable(line), width);
  }

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
  std::thread redrawer_;   // last: it uses all of the above
};

}  // namespace

std::size_t terminal_width(std::FILE* out) {
  winsize size{};
  if (::ioctl(::fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::unique_ptr<Observer> make_terminal_observer(std::FILE* out, bool colours) {
  return std::make_unique<TerminalObserver>(out, colours);
}

}  // namespace headway
