#include "lib/worker/progress_reader.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "lib/base/text.h"
#include "lib/worker/terminal_line.h"

namespace headway {
namespace {

constexpr std::size_t kLongestLine = 4 << 10;
constexpr std::size_t kLongestWords = 200;  // columns; wider than most terminals
constexpr std::string_view kStatement = "headway: progress ";

// A number and nothing else.
std::optional<double> whole_text_as_number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> fraction_of(double value, double whole) {
  if (value < 0 || value > whole) return std::nullopt;
  return value / whole;
}

// What makes the digits behind it a part of a longer number or word: "-5%", "1,042%", "x4%".
bool goes_on(char c) {
  return is_letter_or_digit(c) || std::string_view("+-,_%").find(c) != std::string_view::npos;
}

// The first percentage of a line. "5%20" is a part of an address.
std::optional<double> percentage_in(std::string_view line) {
  for (std::size_t sign = line.find('%'); sign != std::string_view::npos;
       sign = line.find('%', sign + 1)) {
    std::size_t begin = sign;
    while (begin > 0 && (is_digit(line[begin - 1]) || line[begin - 1] == '.')) --begin;
    const bool is_alone = (begin == 0 || !goes_on(line[begin - 1])) &&
                          (sign + 1 == line.size() || !is_letter_or_digit(line[sign + 1]));
    const auto percent = whole_text_as_number(line.substr(begin, sign - begin));
    const auto fraction = is_alone && percent ? fraction_of(*percent, 100) : std::nullopt;
    if (fraction) return fraction;
  }
  return std::nullopt;
}

// A line in the form that the header describes. A wrong number makes it a line like any other, so
// that its author sees it.
std::optional<CommandProgress> parse_statement(std::string_view line) {
  if (!line.starts_with(kStatement)) return std::nullopt;
  line = trim(line.substr(kStatement.size()));
  std::string_view number = line.substr(0, line.find(' '));
  const std::string_view words = trim(line.substr(number.size()));
  const bool is_percentage = number.ends_with('%');
  if (is_percentage) number.remove_suffix(1);
  const auto value = whole_text_as_number(number);
  const auto fraction = value ? fraction_of(*value, is_percentage ? 100 : 1) : std::nullopt;
  if (!fraction) return std::nullopt;
  return CommandProgress{*fraction, fit(words, kLongestWords)};
}

}  // namespace

void ProgressReader::add(std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\n' || c == '\r')
      end_line();
    else if (line_.size() < kLongestLine)
      line_ += c;
  }
}

void ProgressReader::end_line() {
  std::string text = terminal_line(line_);
  line_.clear();
  if (text.empty()) return;
  if (auto statement = parse_statement(text)) stated_ = std::move(statement);
  last_ = std::move(text);
}

CommandProgress ProgressReader::latest() const {
  if (stated_) return *stated_;
  const std::string open = terminal_line(line_);
  const std::string& line = open.empty() ? last_ : open;
  return {percentage_in(line).value_or(kUnknownFraction), fit(line, kLongestWords)};
}

}  // namespace headway
