// Kinds of artifacts by extension, and texts as parts of a report.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "lib/report/sources.h"

namespace headway {

std::string extension_of(const SourceFile& file);  // ".csv"; "" if there is none

// Throws Error with `expected` if the file has another extension: a parser's message would be
// harder to understand. Accepts names without an extension.
void expect_kind(const SourceFile& file, std::initializer_list<std::string_view> extensions,
                 std::string_view expected);

bool is_attention(const TensorFile& file);  // whether the explorer can show it

// The text as a code block with a long enough fence. Texts over kMostTextBytes are cut, with a
// note.
inline constexpr std::size_t kMostTextBytes = 100'000;
std::string fenced(const std::string& text);

// A Markdown artifact as part of a report's Markdown. If it does not render, or its last code block
// is open, it becomes a code block.
std::string markdown_of(const SourceFile& file);

}  // namespace headway
