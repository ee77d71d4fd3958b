// The Markdown that reports use, and helpers for its text: formulas, entities, addresses, heading
// ids.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/report/markdown_html.h"

struct MD_ATTRIBUTE;  // of md4c

namespace headway {

// For md4c: CommonMark with tables, strikethrough and task lists; HTML is text.
extern const unsigned kMarkdownFlags;

// "&lt;" and "&#60;" -> "<". Names that are not common stay.
std::string entity_text(std::string_view entity);

// The text of an address, title or language, with its entities replaced.
std::string attribute_text(const MD_ATTRIBUTE& attribute);

// The escaped address; "" if the page must not link to it.
std::string harmless_address(std::string_view address);

// Puts no-break spaces into "5 %". `before` is the character before the text.
std::string with_unbroken_percents(char before, std::string_view text);

// A heading's id as on GitHub, so that links within REPORT.md work there too.
std::string heading_words(std::string_view text);

// Stands for a formula in Markdown. md4c reports it as MD_TEXT_NULLCHAR.
inline constexpr char kFormulaPlace = '\0';

// Takes the formulas out of Markdown: puts kFormulaPlace in the place of each, which md4c reports
// in the same order, and appends it to `formulas`, which must be empty. md4c could find them, but
// pairs any two dollars, so a price would break the formula after it.
std::string take_formulas(std::string_view markdown, std::vector<Formula>& formulas);

}  // namespace headway
