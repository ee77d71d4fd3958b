// Escapes any text for HTML, Markdown and scripts.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "lib/base/json.h"

namespace headway {

// For text and quoted attribute values: & < > " ' become entities. Control characters and bytes
// that are not UTF-8 become visible characters.
std::string html_escaped(std::string_view text);

// For a paragraph or table cell: escapes markup characters and replaces newlines by spaces.
std::string markdown_escaped(std::string_view text);

// The text as `code`, with as many backquotes as needed; also for table cells.
std::string markdown_code(std::string_view text);

// Keeps ASCII letters, digits and the characters in `plain`; writes other bytes in the format, such
// as "%{:02X}".
std::string bytes_escaped(std::string_view text, std::string_view plain,
                          fmt::format_string<unsigned char> format);

// JSON for a <script> element: contains no '<'.
std::string script_json(const Json& json);

// The code point as UTF-8; U+FFFD if it is invalid.
std::string utf8_of(char32_t code);

}  // namespace headway
