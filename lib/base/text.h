// Text that people read or type. Knows nothing of pipelines.
#pragma once

#include <cstdint>
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
// Without spaces, tabs and line ends at both ends.
std::string_view trim(std::string_view text);

// Quoted for sh, if it needs quotes.
std::string quote_for_shell(std::string_view text);

bool is_utf8(std::string_view text);

// Safe to print: control characters (terminal escapes, say) and bytes that are not UTF-8 become
// U+FFFD, a line end becomes "\n", a tab a space.
std::string printable(std::string_view text);
// The same for several lines: line ends and tabs stay.
std::string printable_lines(std::string_view text);

// "a, b, c and 12 more"
std::string first_of(const std::vector<std::string>& parts, std::size_t most = 12);

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

std::string format_seconds(double seconds);     // 4 ms, 0.25 s, 3.2 s, 1 min 05 s, 2 h 03 min
std::string format_bytes(std::uint64_t bytes);  // 12 B, 3.4 kB, 1.2 MB
// The time since then: "just now", "3.2 s ago". "" for 0, which means "never".
std::string format_age(std::int64_t unix_seconds);
// "1 stage", "3 stages".
std::string count_of(std::size_t count, std::string_view noun);
// 30, 30s, 5m, 1h30m, 500ms -> seconds; nothing if it is not a duration.
std::optional<double> parse_duration(std::string_view text);
// 512, 64MB, 2GiB -> bytes; nothing if it is not a size.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

// Breaks a text between words into lines of at most `width` columns, each with the indent.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent);

// Lines with aligned columns, two spaces apart.
std::string format_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace headway
