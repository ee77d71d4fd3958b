// Escapes any text for HTML, Markdown and scripts.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/json.h"

namespace headway {

// For text and for attribute values in quotes: & < > " ' become entities. Control characters and
// bytes that are not UTF-8 are replaced by visible ones.
std::string html_escaped(std::string_view text);

// For a paragraph or a table cell: a backslash before markup characters, a space for each newline.
std::string markdown_escaped(std::string_view text);

// The text as `code`, with as many backquotes as it needs; also for table cells.
std::string markdown_code(std::string_view text);

// JSON for a <script> element: without '<'.
std::string script_json(const Json& json);

// The character with this code point as UTF-8; U+FFFD if it is not a valid one.
std::string utf8_of(char32_t code);

}  // namespace headway
