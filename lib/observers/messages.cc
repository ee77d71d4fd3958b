#include "lib/observers/messages.h"

#include <fmt/format.h>

#include <chrono>

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

// " on n2"; "" if it ran here.
std::string on_node(const StageEnd& end) {
  return end.node.empty() ? "" : " on " + printable(end.node);
}

// "; memory 1.9 GB of 2.0 GB asked"; "" if it is not known, or nobody has limited it.
std::string memory_note(const StageEnd& end) {
  if (end.peak_memory == 0 || (end.memory_asked == 0 && end.node.empty())) return "";
  return "; memory " + format_bytes(end.peak_memory) +
         (end.memory_asked == 0 ? "" : " of " + format_bytes(end.memory_asked) + " asked");
}

}  // namespace

std::string event_line(Json event) {
  using std::chrono::milliseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  event["time"] = iso_time(std::chrono::duration_cast<milliseconds>(now).count());
  return to_line(event) + "\n";
}

std::string start_text(const RunInfo& info) {
  return fmt::format("{}: {}{}, {} fresh, {}", printable(info.pipeline),
                     info.variations.empty() ? "" : printable(info.variations) + ", ",
                     count_of(info.selected, "stage"), info.fresh,
                     count_of(static_cast<std::size_t>(info.cpus), "cpu"));
}

std::string started_text(const StageStart& start) {
  return printable(fmt::format("{}: started{} ({})", start.stage,
                               start.attempt > 1 ? fmt::format(", attempt {}", start.attempt) : "",
                               start.reason));
}

std::string progress_text(const std::string& stage, double fraction, const std::string& words) {
  return printable(fmt::format("{}: {}", stage, progress_words(fraction, words)));
}

std::string progress_words(double fraction, const std::string& words) {
  if (fraction < 0) return words;
  // A progress bar says it itself: "42%|████      | 42/100".
  const std::string percent = fmt::format("{:.0f}%", 100 * fraction);
  const std::size_t at = words.find(percent);
  const auto is_part = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  if (at == 0 || (at != std::string::npos && !is_part(words[at - 1]))) return words;
  return fmt::format("{:.0f} %{}{}", 100 * fraction, words.empty() ? "" : " ", words);
}

std::string began_text(const std::string& stage, const JobPlace& place) {
  return printable(fmt::format("{}: began on {}", stage, place.node));
}

std::string waiting_text(const std::string& stage, const std::string& waiting) {
  return printable(fmt::format("{}: waiting: {}", stage, waiting));
}

std::string finished_text(const StageEnd& end) {
  const std::string stage = printable(end.stage);
  switch (end.status) {
    case StageStatus::kFresh:
      return fmt::format("{}: fresh", stage);
    case StageStatus::kDone:
      return fmt::format("{}: done in {}{}", stage, format_seconds(end.seconds), on_node(end));
    case StageStatus::kFailed:
      return fmt::format("{}: failed: {}", stage, printable_lines(end.message));
    case StageStatus::kCancelled:
      return fmt::format("{}: {}", stage,
                         end.is_left_running ? "left running on the cluster" : "interrupted");
    case StageStatus::kSkipped:
      return fmt::format("{}: skipped, because {}", stage, printable_lines(end.message));
    default:  // not an end
      return "";
  }
}

std::string warning_text(const StageEnd& end) {
  return fmt::format("stage '{}' warns: {}", printable(end.stage), printable_lines(end.warning));
}

std::string failure_text(const StageEnd& end) {
  std::string text =
      fmt::format("stage '{}' failed: {}\n", printable(end.stage), printable_lines(end.message));
  if (!end.node.empty()) text += fmt::format(" {}{}\n", on_node(end), memory_note(end));
  if (!end.command.empty()) text += "  command:\n" + indented(end.command, 20);
  const std::string log = without_end(end.log_tail, end.message);
  if (!log.empty()) text += "  last lines of its log:\n" + indented(log, 20);
  if (!end.log.empty()) text += fmt::format("  log: {}\n", printable(display_path(end.log)));
  return text;
}

std::string summary_text(const RunInfo& info, const RunSummary& summary) {
  std::vector<std::string> parts;
  for (const auto& [what, count] : {std::pair("done", summary.done),
                                    {"fresh", summary.fresh},
                                    {"failed", summary.failed},
                                    {"interrupted", summary.cancelled},
                                    {"skipped", summary.skipped},
                                    {"not started", summary.not_started}}) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  }
  const bool nothing = summary.done == 0 && summary.exit_code == 0;
  return fmt::format("{}: {}{} in {}", printable(info.pipeline), nothing ? "nothing to do, " : "",
                     join(parts, ", "), format_seconds(summary.seconds));
}

Json summary_json(const RunSummary& summary) {
  return {{"seconds", summary.seconds},
          {"done", summary.done},
          {"fresh", summary.fresh},
          {"failed", summary.failed},
          {"interrupted", summary.cancelled},
          {"skipped", summary.skipped},
          {"not_started", summary.not_started},
          {"exit_code", summary.exit_code}};
}

}  // namespace headway
