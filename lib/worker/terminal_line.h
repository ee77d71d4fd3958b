// A line of a program's output as a terminal would leave it, for showing it among lines of our own.
#pragma once

#include <string>
#include <string_view>

namespace headway {

// The text of a line, which has neither '\n' nor '\r': escape sequences (colours, say) and control
// characters are removed, a backspace removes what it would overwrite, a tab becomes a space, and
// bytes that are not UTF-8 become U+FFFD. A character that is incomplete at the end is left out:
// the rest may not have been written yet. Without spaces at both ends.
std::string terminal_line(std::string_view bytes);

}  // namespace headway
