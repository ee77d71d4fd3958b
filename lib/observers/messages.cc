#include "lib/observers/messages.h"

#include <fmt/format.h>

#include "lib/base/text.h"

namespace headway {
namespace {

std::string indented(const std::string& text, std::size_t most_lines) {
  std::string result;
  const std::vector<std::string> lines = split(trim(text), '\n');
  for (std::size_t i = 0; i < lines.size() && i < most_lines; ++i)
    result += "    " + fit(printable(lines[i]), 300) + "\n";
  if (lines.size() > most_lines)
    result += fmt::format("    … ({} lines more)\n", lines.size() - most_lines);
  return result;
}

// A native stage's log ends with the message, which should not be printed twice.
std::string without_end(const std::string& log, const std::string& message) {
  const std::string text(trim(log));
  return text.ends_with(message) ? std::string(trim(text.substr(0, text.size() - message.size())))
                                 : text;
}

}  // namespace

std::string start_text(const RunInfo& info) {
  return fmt::format("{}: {}{}, {} fresh, {}", printable(info.pipeline),
                     info.groups.empty() ? "" : printable(info.groups) + ", ",
                     count_of(info.selected, "stage"), info.fresh,
                     count_of(static_cast<std::size_t>(info.cpus), "cpu"));
}

std::string started_text(const StageStart& start) {
  return printable(fmt::format("{}: started{} ({})", start.stage,
                               start.attempt > 1 ? fmt::format(", attempt {}", start.attempt) : "",
                               start.reason));
}

std::string progress_text(const std::string& stage, double fraction, const std::string& words) {
  return printable(fmt::format("{}: {:.0f} % {}", stage, 100 * fraction, words));
}

std::string finished_text(const StageEnd& report) {
  const std::string stage = printable(report.stage);
  switch (report.status) {
    case StageStatus::kFresh:
      return fmt::format("{}: fresh", stage);
    case StageStatus::kDone:
      return fmt::format("{}: done in {}", stage, format_seconds(report.seconds));
    case StageStatus::kFailed:
      return fmt::format("{}: failed: {}", stage, printable_lines(report.message));
    case StageStatus::kCancelled:
      return fmt::format("{}: interrupted", stage);
    case StageStatus::kSkipped:
      return fmt::format("{}: skipped, because {}", stage, printable_lines(report.message));
    default:  // not an end
      return "";
  }
}

std::string failure_text(const StageEnd& report) {
  std::string text = fmt::format("stage '{}' failed: {}\n", printable(report.stage),
                                 printable_lines(report.message));
  if (!report.command.empty()) text += "  command:\n" + indented(report.command, 20);
  const std::string log = without_end(report.log_tail, report.message);
  if (!log.empty()) text += "  last lines of its log:\n" + indented(log, 20);
  if (!report.log.empty()) text += fmt::format("  log: {}\n", printable(display_path(report.log)));
  return text;
}

std::string summary_text(const RunInfo& info, const RunSummary& summary) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(summary.done, "done");
  add(summary.fresh, "fresh");
  add(summary.failed, "failed");
  add(summary.cancelled, "interrupted");
  add(summary.skipped, "skipped");
  add(summary.not_started, "not started");
  const bool nothing = summary.done == 0 && summary.exit_code == 0;
  return fmt::format("{}: {}{} in {}", printable(info.pipeline), nothing ? "nothing to do, " : "",
                     join(parts, ", "), format_seconds(summary.seconds));
}

}  // namespace headway
