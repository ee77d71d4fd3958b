// What verbs print. In text for people, which may quote names from files, tools and the command
// line, control characters are replaced; data for programs is printed exactly. If standard output
// cannot be written, finish_output() reports it once.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "lib/run/inspection.h"

namespace headway {

void print_exactly(std::string_view bytes);      // to standard output
void print_for_people(std::string_view text);    // to standard output
void print_as_complaint(std::string_view text);  // to standard error

// Formats a text for people, to standard output.
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  print_for_people(fmt::format(format, std::forward<Values>(values)...));
}

// The same, to standard error.
template <class... Values>
void complain(fmt::format_string<Values...> format, Values&&... values) {
  print_as_complaint(fmt::format(format, std::forward<Values>(values)...));
}

// For programs (docs/json.md): a document, with the version of its schema; and an event of a
// stream, with its time.
void print_document(Json document);
void print_event(const Json& event);

// Mistakes from the lines of a PipelineError, or any other message: a list of {message, file, line,
// column}; the last three only where the line begins with a place.
Json mistakes_in(const std::string& text);

// Journals that could not be read as a whole; each once, however many pipelines share it.
void complain_of_damage(const Inspection& inspection);

// Whether standard output is a terminal on which lines can be drawn anew.
bool is_live_terminal();

// How much fits in a line of standard output; 120 columns if it is not a terminal.
struct PrintedWidth {
  std::size_t columns = 120;
  bool is_terminal = false;
};
PrintedWidth printed_width();

// The outputs that `print` names, read from the stage's results in `folder`: tables with aligned
// columns, other files as they are, cut after 60 lines. "" if it prints nothing.
std::string printed_outputs(FileSystem& files, const StageSpec& stage, const Path& folder);

// Call it last. Returns the verb's exit code, or 1 if that is 0 and standard output could not be
// written. A reader that went away (`headway logs x | head`) is not a failure.
int finish_output(int exit_code);

}  // namespace headway
