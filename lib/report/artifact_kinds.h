// What an artifact is, by its name and contents, and how texts become part of a report.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "lib/report/sources.h"

namespace headway {

std::string extension_of(const SourceFile& file);  // ".csv"; "" where it has none

// An Error that says what is expected where the extension is another: the parser would tell it in
// words of its own. Names without an extension may be anything.
void expect_kind(const SourceFile& file, std::initializer_list<std::string_view> extensions,
                 std::string_view expected);

bool is_attention(const TensorFile& file);  // what the explorer shows

// A text as code, in a fence longer than any run of backquotes in it. What is longer than a person
// reads is cut, and says so.
inline constexpr std::size_t kMostTextBytes = 100'000;
std::string fenced(const std::string& text);

// A Markdown artifact as part of ours: as plain text where it would not render, or would swallow
// what comes after it.
std::string markdown_of(const SourceFile& file);

}  // namespace headway
