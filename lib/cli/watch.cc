#include "lib/cli/watch.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "lib/base/interrupt.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"

namespace headway {
namespace {

constexpr double kProgressEvery = 10;  // seconds
constexpr std::size_t kUnknownRows = 24;

std::size_t terminal_rows() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return kUnknownRows;
  return size.ws_row;
}

// Replaces the lines of the last call by these, in one write.
class Screen {
 public:
  void draw(const Watched& watched) {
    std::vector<std::string> lines;
    for (const PipelineStatus& pipeline : watched.pipelines) {
      for (std::string& line : pipeline.lines(watched.full)) lines.push_back(printable(line));
    }
    lines = fit_screen(std::move(lines), terminal_rows() - 1, printed_width().columns - 1);
    std::string text = drawn_ > 0 ? fmt::format("\x1b[{}A\r\x1b[J", drawn_) : "";
    for (const std::string& line : lines) text += line + "\n";
    drawn_ = lines.size();
    print_exactly(text);
  }

 private:
  std::size_t drawn_ = 0;
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::vector<std::string> ChangeTeller::changes(const Watched& watched, double now) {
  std::vector<std::string> lines;
  for (const PipelineStatus& pipeline : watched.pipelines) {
    const auto [known, is_new] = was_running_.emplace(pipeline.pipeline, false);
    if (is_new) {
      for (std::string& line : pipeline.lines(watched.full)) lines.push_back(std::move(line));
    }
    for (const StageStanding& stage : pipeline.stages) {
      Told& told = told_[{pipeline.pipeline, stage.stage}];
      const bool has_moved = stage.is_running() && told.words != stage.words;
      if (told.state == stage.state && !(has_moved && now - told.when >= kProgressEvery)) continue;
      told = {stage.state, stage.words, now};
      const std::string name =
          watched.pipelines.size() == 1 ? stage.stage : pipeline.pipeline + ": " + stage.stage;
      if (!is_new)
        lines.push_back(fmt::format("{:%H:%M:%S} {}: {}{}{}", fmt::localtime(std::time(nullptr)),
                                    name, stage.state, stage.words.empty() ? "" : ", ",
                                    stage.words));
    }
    if (known->second && !pipeline.is_running) lines.push_back(pipeline.title());
    known->second = pipeline.is_running;
  }
  return lines;
}

std::vector<std::string> fit_screen(std::vector<std::string> lines, std::size_t rows,
                                    std::size_t columns) {
  const std::size_t all = lines.size();
  if (all > rows) {
    rows = std::max<std::size_t>(rows, 2) - 1;  // one for the note
    for (const char* dull : {"  fresh", "  never run", "  queued", "  waiting"}) {
      for (std::size_t i = lines.size(); i-- > 0 && lines.size() > rows;) {
        if (lines[i].starts_with(' ') && lines[i].find(dull) != std::string::npos)
          lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    lines.resize(std::min(lines.size(), rows));
    lines.push_back(fmt::format("… {} more lines", all - lines.size()));
  }
  for (std::string& line : lines) line = fit(line, columns);
  return lines;
}

int watch(const std::function<Watched()>& look) {
  Interrupt interrupt;
  const SignalGuard signals(interrupt);
  const bool is_terminal = is_live_terminal();
  Screen screen;
  ChangeTeller teller;
  for (;;) {
    const Watched watched = look();
    if (is_terminal) {
      screen.draw(watched);
    } else {
      for (const std::string& line : teller.changes(watched, seconds_now())) say("{}\n", line);
    }
    std::fflush(stdout);
    if (!watched.goes_on) return 0;
    pollfd stop{interrupt.descriptor(), POLLIN, 0};
    ::poll(&stop, 1, 1000);
    if (interrupt.requested()) return 130;
  }
}

}  // namespace headway
