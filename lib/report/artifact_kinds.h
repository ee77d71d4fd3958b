// What kind of artifact a file is, and how texts become part of a report.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "lib/report/sources.h"

namespace headway {

std::string extension_of(const SourceFile& file);  // ".csv"; "" if it has none

// Throws Error with `expected` if the file has another extension, because a parser's message would
// be harder to understand. A name without an extension passes.
void expect_kind(const SourceFile& file, std::initializer_list<std::string_view> extensions,
                 std::string_view expected);

bool is_attention(const TensorFile& file);  // what the explorer shows

// The text as a code block, whose fence is longer than any run of backquotes in the text. A text of
// more than kMostTextBytes is cut, with a note.
inline constexpr std::size_t kMostTextBytes = 100'000;
std::string fenced(const std::string& text);

// A Markdown artifact as part of a report's Markdown. One that does not render, or whose last code
// block is open, becomes a code block.
std::string markdown_of(const SourceFile& file);

}  // namespace headway
