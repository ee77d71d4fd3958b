// Text that may be anything, written into HTML, Markdown and scripts so that it stays text.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/json.h"

namespace headway {

// For text and for attribute values in double quotes: & < > " ' are entities; what is no UTF-8 is
// replaced, control characters are shown harmlessly.
std::string html_escaped(std::string_view text);

// In a paragraph or a table's cell: markup characters with a backslash, newlines as spaces.
std::string markdown_escaped(std::string_view text);

// `code`, with as many backquotes as the text needs; in a table's cell too.
std::string markdown_code(std::string_view text);

// JSON that may stand inside a <script> element: no '<' in it.
std::string script_json(const Json& json);

// The character with this number; U+FFFD where no text can have it.
std::string utf8_of(char32_t code);

}  // namespace headway
