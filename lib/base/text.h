// Small helpers for text that people read or type. Knows nothing of pipelines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headway {

// "; did you mean 'epochs'?" where a candidate is close to what was typed, else "".
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& candidates);

std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

// Quoted for sh where it needs to be, as it is where it does not.
std::string quote_for_shell(std::string_view text);

bool is_utf8(std::string_view text);

// Control characters (a terminal escape in a log line, a newline in a name) shown harmlessly.
std::string printable(std::string_view text);
// The same of a text of several lines, which stay lines.
std::string printable_lines(std::string_view text);

// "a, b, c and 12 more"
std::string first_of(const std::vector<std::string>& parts, std::size_t most = 12);

// The text up to a line's end, or at least a character's, at most `most` bytes.
std::string_view first_bytes(std::string_view text, std::size_t most);

// How often the character stands in a row at most.
std::size_t longest_run(std::string_view text, char character);

// At most `width` columns, the end cut with "…". Counts code points, not bytes.
std::string fit(std::string_view text, std::size_t width);
std::size_t display_width(std::string_view text);
std::string pad_right(std::string_view text, std::size_t width);

std::string format_seconds(double seconds);     // 4 ms, 0.25 s, 3.2 s, 1 min 05 s, 2 h 03 min
std::string format_bytes(std::uint64_t bytes);  // 12 B, 3.4 kB, 1.2 MB
std::optional<double> parse_duration(
    std::string_view text);  // 30, 30s, 5m, 1h30m, 500ms -> seconds
std::optional<std::uint64_t> parse_bytes(std::string_view text);  // 512, 64MB, 2GiB

// Lines of at most `width` columns, broken between words, each with the indent in front.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent);

// A table with aligned columns, two spaces apart; the last column is not padded.
std::string format_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace headway
