// What verbs print. Text for people may hold names from files, tools and the command line, so
// control characters in it are replaced; data for programs are printed exactly. That standard
// output cannot be written is noted here and reported once, when the verb has ended.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "lib/run/inspection.h"

namespace headway {

void print_exactly(std::string_view bytes);      // to standard output
void print_for_people(std::string_view text);    // to standard output
void print_as_complaint(std::string_view text);  // to standard error

template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  print_for_people(fmt::format(format, std::forward<Values>(values)...));
}

template <class... Values>
void complain(fmt::format_string<Values...> format, Values&&... values) {
  print_as_complaint(fmt::format(format, std::forward<Values>(values)...));
}

// Journals that could not be read as a whole.
inline void complain_of_damage(const Inspection& inspection) {
  for (const std::string& damage : inspection.damages()) complain("headway: {}\n", damage);
}

// The exit code: that of the verb, but 1 where it is 0 and standard output was not written as a
// whole. A reader that went away (`headway logs x | head`) is not a failure.
int finish_output(int exit_code);

}  // namespace headway
