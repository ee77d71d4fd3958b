#include "lib/base/text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>

namespace headway {
namespace {

constexpr std::size_t kLongestName = 64;  // nobody mistypes a longer name

// The number of letters to insert, delete, replace or swap with a neighbour to turn a into b, but
// at most `most`. Both are at most 2 * kLongestName long. Allocates nothing, because a file may
// have thousands of unknown names and thousands of known ones.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most) {
  std::array<std::array<std::size_t, 2 * kLongestName + 1>, 3> rows;  // of i, i - 1 and i - 2
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto &row = rows[i % 3], &before = rows[(i + 2) % 3], &second = rows[(i + 1) % 3];
    std::size_t least = row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = before[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], second[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    if (least > most) return most;
  }
  return std::min(rows[a.size() % 3][b.size()], most);
}

// The length of the UTF-8 sequence at the front; 0 if it is malformed.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC0 || first > 0xF7) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  std::uint32_t point = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    point = point << 6 | (byte(i) & 0x3Fu);
  }
  static constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};  // less is overlong
  const bool is_surrogate = point >= 0xD800 && point <= 0xDFFF;
  return point < kLeast[length] || point > 0x10FFFF || is_surrogate ? 0 : length;
}

// Replaces control characters: line ends and tabs by the given text, others by U+FFFD.
std::string without_controls(std::string_view text, std::string_view newline,
                             std::string_view tab) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const unsigned char first = static_cast<unsigned char>(text[0]);
    const bool control =
        first < 0x20 || first == 0x7F ||  // C0, and C1 as U+0080..U+009F
        (length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0);
    if (first == '\t') {
      clean += tab;
    } else if (first == '\n') {
      clean += newline;
    } else if (length == 0 || control) {
      clean += "\xEF\xBF\xBD";  // U+FFFD
    } else {
      clean += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return clean;
}

using Unit = std::pair<std::string_view, double>;  // its name, and how much it is

// Removes a number from the front of the text.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value) || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::string without_spaces_behind(std::string text) {
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

// The last cell beside the others, on several lines; or below them if there is too little room.
std::string wrapped_row(const std::string& others, std::string_view last, std::size_t width) {
  constexpr std::size_t kNarrow = 24;  // columns; hard to read
  constexpr std::size_t kIndent = 6;
  const std::size_t place = display_width(others);
  if (place + kNarrow > width)
    return without_spaces_behind(others) + "\n" + wrapped(last, width, std::string(kIndent, ' '));
  return others + wrapped(last, width, std::string(place, ' ')).substr(place);
}

}  // namespace

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& candidates) {
  if (typed.size() > kLongestName) return "";
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t gap = candidate.size() > typed.size() ? candidate.size() - typed.size()
                                                            : typed.size() - candidate.size();
    if (gap >= best_distance) continue;
    const std::size_t distance = edit_distance(typed, candidate, best_distance);
    if (distance < best_distance) {
      best_distance = distance;
      best = &candidate;
    }
  }
  return best ? fmt::format("; did you mean '{}'?", *best) : "";
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string first_of(const std::vector<std::string>& parts, std::size_t most,
                     std::string_view separator) {
  if (parts.size() <= most) return join(parts, separator);
  const auto end = parts.begin() + static_cast<std::ptrdiff_t>(most);
  return fmt::format("{} and {} more", fmt::join(parts.begin(), end, separator),
                     parts.size() - most);
}

std::string_view first_bytes(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  text = text.substr(0, most + 1);
  const std::size_t line = text.rfind('\n', most - 1);
  if (line != std::string_view::npos) return text.substr(0, line + 1);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

std::size_t longest_run(std::string_view text, char character) {
  std::size_t longest = 0, length = 0;
  for (const char c : text) {
    length = c == character ? length + 1 : 0;
    longest = std::max(longest, length);
  }
  return longest;
}

bool matches_pattern(std::string_view text, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return text == pattern;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  const std::string_view rest = pattern.substr(star + 1);
  // The first place where the piece up to the next star fits leaves most for what follows.
  const std::size_t next = rest.find('*');
  if (next == std::string_view::npos) return text.ends_with(rest);
  const std::size_t at = text.find(rest.substr(0, next));
  return at != std::string_view::npos && matches_pattern(text.substr(at), rest);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string quote_for_shell(std::string_view text) {
  if (!text.empty() && has_only(text, "@%+=:,./-_")) return std::string(text);
  return fmt::format("'{}'", fmt::join(split(text, '\''), "'\\''"));
}

std::string quote_for_shell(const std::vector<std::string>& words) {
  return join(texts_of(words, [](const std::string& word) { return quote_for_shell(word); }), " ");
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter_or_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool has_only(std::string_view text, std::string_view others) {
  return std::ranges::all_of(text, [&](char c) {
    return is_letter_or_digit(c) || others.find(c) != std::string_view::npos;
  });
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  return without_controls(text, "\\n", " ");
}

std::string printable_lines(std::string_view text) {
  return without_controls(text, "\n", "\t");
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string fit(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::size_t bytes = 0;
  for (std::size_t columns = 0; columns + 1 < width; ++columns) {
    bytes += std::max<std::size_t>(1, utf8_length(text.substr(bytes)));
  }
  return std::string(text.substr(0, bytes)) + "…";
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string format_seconds(double seconds) {
  if (seconds < 0.0995) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 1) return fmt::format("{:.2f} s", seconds);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string format_duration(double seconds) {
  std::string text = format_seconds(seconds);
  if (text.ends_with(".0 s")) text.erase(text.size() - 4, 2);
  return text;
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  static constexpr const char* kUnits[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (value /= 1000; value >= 999.95 && unit < 5; value /= 1000) ++unit;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string format_age(std::int64_t unix_seconds) {
  if (unix_seconds == 0) return "";
  const std::int64_t seconds = std::time(nullptr) - unix_seconds;
  return seconds < 1 ? "just now" : format_duration(static_cast<double>(seconds)) + " ago";
}

std::string iso_time(std::int64_t unix_milliseconds) {
  const auto seconds = static_cast<std::time_t>(unix_milliseconds / 1000);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds), unix_milliseconds % 1000);
}

std::string count_of(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::optional<double> parse_duration(std::string_view text) {
  text = trim(text);
  if (text.empty()) return std::nullopt;
  double total = 0;
  while (!text.empty()) {
    const std::optional<double> value = take_number(text);
    // "ms" before "m"; at the end, no unit means seconds.
    static constexpr Unit kUnits[] = {{"ms", 1e-3}, {"s", 1},     {"m", 60},
                                      {"h", 3600},  {"d", 86400}, {"", 1}};
    const auto unit =
        std::ranges::find_if(kUnits, [&](const auto& one) { return text.starts_with(one.first); });
    if (!value || (unit->first.empty() && !text.empty())) return std::nullopt;
    total += *value * unit->second;
    text.remove_prefix(unit->first.size());
  }
  return std::isfinite(total) ? std::optional(total) : std::nullopt;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  text = trim(text);
  const std::optional<double> value = take_number(text);
  if (!value) return std::nullopt;
  text = trim(text);
  static constexpr double kKi = 1024, kMi = kKi * kKi, kGi = kMi * kKi, kTi = kGi * kKi;
  static constexpr Unit kUnits[] = {{"", 1},      {"B", 1},     {"kB", 1e3},  {"KB", 1e3},
                                    {"MB", 1e6},  {"GB", 1e9},  {"TB", 1e12}, {"KiB", kKi},
                                    {"MiB", kMi}, {"GiB", kGi}, {"TiB", kTi}, {"K", kKi},
                                    {"M", kMi},   {"G", kGi}};
  for (const auto& [name, factor] : kUnits) {
    if (text == name && *value * factor < 1e18) return static_cast<std::uint64_t>(*value * factor);
  }
  return std::nullopt;
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent) {
  std::string result(indent);
  std::size_t column = display_width(indent);
  for (const std::string& word : split(text, ' ')) {
    const std::size_t length = display_width(word);
    if (column > display_width(indent)) {
      const bool fits = column + 1 + length <= width;
      result += fits ? " " : "\n" + std::string(indent);
      column = fits ? column + 1 : display_width(indent);
    }
    result += word;
    column += length;
  }
  return result + "\n";
}

std::string format_table(const std::vector<std::vector<std::string>>& rows, std::size_t width) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string table;
  for (const auto& row : rows) {
    std::string others;
    for (std::size_t i = 0; i + 1 < row.size(); ++i) others += pad_right(row[i], widths[i]) + "  ";
    const std::string last = row.empty() ? "" : row.back();
    const std::string line = without_spaces_behind(others + last);
    const bool fits = width == 0 || others.empty() || display_width(line) <= width;
    table += fits ? line + "\n" : wrapped_row(others, last, width);
  }
  return table;
}

}  // namespace headway
