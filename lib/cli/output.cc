#include "lib/cli/output.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/numerics/table.h"
#include "lib/observers/messages.h"
#include "lib/observers/observers.h"

namespace headway {
namespace {

// Whether standard output is a pipe or socket that nobody reads any more.
bool reader_is_gone() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

constexpr std::size_t kMostLines = 60;
constexpr std::size_t kLongestPlace = 1000;  // columns; regular expressions recurse
constexpr std::size_t kMostColumns = 400;

std::string cut(const std::vector<std::string>& lines, const std::string& indent) {
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i)
    text += indent + fit(printable(lines[i]), kMostColumns) + "\n";
  if (lines.size() > kMostLines)
    text += fmt::format("{}… and {} more\n", indent, lines.size() - kMostLines);
  return text;
}

std::string table_text(const Table& table, const std::vector<std::string>& wanted) {
  const std::vector<std::string>& columns = wanted.empty() ? table.columns() : wanted;
  for (const std::string& column : columns) table.column(column);  // throws if there is none
  std::vector<std::vector<std::string>> rows = {columns};
  for (std::size_t row = 0; row < table.size(); ++row) {
    std::vector<std::string> cells;
    for (const std::string& column : columns) cells.push_back(printable(table.text(row, column)));
    rows.push_back(std::move(cells));
  }
  return format_table(rows);
}

std::string output_text(const std::string& bytes, const Printing& printing,
                        const std::string& name) {
  std::string text = bytes;
  if (printing.file.ends_with(".csv")) text = table_text(parse_csv(bytes, name), printing.columns);
  if (text.ends_with('\n')) text.pop_back();
  return cut(split(text, '\n'), "  ");
}

}  // namespace

void print_exactly(std::string_view bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);  // finish_output() checks
}

void print_for_people(std::string_view text) {
  print_exactly(printable_lines(text));
}

void print_document(Json document) {
  document["schema"] = kJsonSchema;
  print_exactly(to_lines(document) + "\n");
}

void print_event(const Json& event) {
  print_exactly(event_line(event));
}

Json mistakes_in(const std::string& text) {
  static const std::regex kPlace("^(.+?):([0-9]{1,9}):([0-9]{1,9}): ");
  Json mistakes = Json::array();
  for (const std::string& line : split(text, '\n')) {
    std::smatch place;
    const std::string begin = line.substr(0, kLongestPlace);
    if (std::regex_search(begin, place, kPlace)) {
      mistakes.push_back({{"message", line.substr(static_cast<std::size_t>(place.length()))},
                          {"file", place.str(1)},
                          {"line", std::stoi(place.str(2))},
                          {"column", std::stoi(place.str(3))}});
    } else if (mistakes.empty()) {
      mistakes.push_back({{"message", line}});
    } else {  // it belongs to the mistake above: "(with variant 'wide')"
      Json& message = mistakes.back()["message"];
      message = message.get<std::string>() + "\n" + line;
    }
  }
  return mistakes;
}

void print_as_complaint(std::string_view text) {
  const std::string clean = printable_lines(text);
  std::fwrite(clean.data(), 1, clean.size(), stderr);  // if that fails, there is nobody to tell
}

void complain_of_damage(const Inspection& inspection) {
  static std::set<std::string> said;
  for (const std::string& damage : inspection.damages()) {
    if (said.insert(damage).second) complain("headway: {}\n", damage);
  }
}

bool is_live_terminal() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) != 0 && terminal && std::string_view(terminal) != "dumb";
}

PrintedWidth printed_width() {
  if (::isatty(STDOUT_FILENO) == 0) return {};
  return {terminal_width(stdout), true};
}

std::string printed_outputs(FileSystem& files, const StageSpec& stage, const Path& folder) {
  std::string text;
  for (const Printing& printing : stage.printings) {
    const Path path = folder / stage.name / printing.file;
    const auto bytes = files.read(path);
    if (!bytes) continue;
    text += fmt::format("\n{}: {}\n", stage.name, printing.file);
    try {
      text += output_text(*bytes, printing, path.string());
    } catch (const Error& error) {  // a missing column must not fail a good run
      text += fmt::format("  {}\n", error.what());
    }
  }
  return text;
}

int finish_output(int exit_code) {
  errno = 0;
  const bool is_flushed = std::fflush(stdout) == 0;
  const std::string reason = errno != 0 ? ": " + describe_errno(errno) : "";
  if ((is_flushed && !std::ferror(stdout)) || reader_is_gone()) return exit_code;
  complain("headway: standard output could not be written as a whole{}\n", reason);
  return exit_code == 0 ? 1 : exit_code;
}

}  // namespace headway
