#include "lib/sweep/trials_progress.h"

#include <fmt/format.h>

#include "lib/base/text.h"

namespace headway {

std::string trials_text(const TrialsProgress& progress) {
  std::string text = fmt::format("{} of {} trials finished", progress.finished, progress.total);
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(progress.running, "running");
  add(progress.failed, "failed");
  add(progress.left(), "left");
  if (progress.seconds_left > 0.5 && progress.finished + progress.failed < progress.total)
    text += fmt::format(", about {} left", format_seconds(progress.seconds_left));
  if (!progress.best.empty())
    text += fmt::format("; best {}: {} {:.4g}", printable(progress.best),
                        printable(progress.objective), progress.best_value);
  return text;
}

Headline headline_of(const TrialsProgress& progress) {
  Json event = {{"event", "trials"},
                {"total", progress.total},
                {"finished", progress.finished},
                {"running", progress.running},
                {"failed", progress.failed},
                {"left", progress.left()},
                {"seconds_left", progress.seconds_left}};
  if (!progress.best.empty()) {
    event["best"] = progress.best;
    event["objective"] = progress.objective;
    event["best_value"] = progress.best_value;
  }
  return {trials_text(progress), progress.finished + progress.failed, std::move(event)};
}

void announce_trials(std::size_t trials, RunInfo& info) {
  info.groups = fmt::format("{} trial{}", trials, trials == 1 ? "" : "s");
  info.fields = {{"trials", trials}};
}

}  // namespace headway
