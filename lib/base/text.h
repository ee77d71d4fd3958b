// Text that people read or type. Knows nothing of pipelines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headway {

// "; did you mean 'epochs'?" if a candidate is close to what was typed, else "".
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& candidates);

std::string join(const std::vector<std::string>& parts, std::string_view separator);
// At least one part: split("", ',') is {""}.
std::vector<std::string> split(std::string_view text, char separator);
// A text of each element, such as its name: texts_of(ports, &Port::name).
template <class Range, class Text>
std::vector<std::string> texts_of(const Range& range, Text text) {
  std::vector<std::string> texts;
  for (const auto& element : range) texts.push_back(std::invoke(text, element));
  return texts;
}
// Without spaces, tabs and line ends at both ends.
std::string_view trim(std::string_view text);

// Whether the text is one that the pattern describes, in which each `*` stands for any text.
bool matches_pattern(std::string_view text, std::string_view pattern);

// Quoted for sh, if it needs quotes.
std::string quote_for_shell(std::string_view text);
// Each of them, with a space between.
std::string quote_for_shell(const std::vector<std::string>& words);

// Of ASCII.
bool is_digit(char c);
bool is_letter_or_digit(char c);

// Whether every character is an ASCII letter, a digit or one of `others`.
bool has_only(std::string_view text, std::string_view others);

bool is_utf8(std::string_view text);

// Safe to print: control characters (terminal escapes, say) and bytes that are not UTF-8 become
// U+FFFD, a line end becomes "\n", a tab a space.
std::string printable(std::string_view text);
// The same for several lines: line ends and tabs stay.
std::string printable_lines(std::string_view text);

// "a, b, c and 12 more"
std::string first_of(const std::vector<std::string>& parts, std::size_t most = 12,
                     std::string_view separator = ", ");

// A beginning of at most `most` bytes. If that cuts the text, it ends after the last whole line, or
// if there is none, after the last whole character.
std::string_view first_bytes(std::string_view text, std::size_t most);

// The length of the longest run of the character.
std::size_t longest_run(std::string_view text, char character);

// Columns are counted as code points.
std::size_t display_width(std::string_view text);
// At most `width` columns; a longer text is cut and ends with "…".
std::string fit(std::string_view text, std::size_t width);
// At least `width` columns, filled with spaces.
std::string pad_right(std::string_view text, std::size_t width);

std::string format_seconds(double seconds);   // 4 ms, 0.25 s, 3.0 s, 1 min 05 s, 2 h 03 min
std::string format_duration(double seconds);  // 3 s, not 3.0 s: for what is not measured so exactly
std::string format_bytes(std::uint64_t bytes);  // 12 B, 3.4 kB, 1.2 MB
// The time since then: "just now", "3 s ago". "" for 0, which means "never".
std::string format_age(std::int64_t unix_seconds);
// For programs: ISO 8601, UTC, "2026-11-17T19:05:41.123Z".
std::string iso_time(std::int64_t unix_milliseconds);
// "1 stage", "3 stages".
std::string count_of(std::size_t count, std::string_view noun);
// 30, 30s, 5m, 1h30m, 500ms -> seconds; nothing if it is not a duration.
std::optional<double> parse_duration(std::string_view text);
// 512, 64MB, 2GiB -> bytes; nothing if it is not a size.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

// Breaks a text between words into lines of at most `width` columns, each with the indent.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent);

// Lines with aligned columns, two spaces apart. If `width` is not 0, a last cell that does not fit
// into as many columns goes on in further lines.
std::string format_table(const std::vector<std::vector<std::string>>& rows, std::size_t width = 0);

}  // namespace headway
