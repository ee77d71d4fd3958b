#include "lib/report/escape.h"

#include <algorithm>
#include <iterator>

#include "lib/base/text.h"

namespace headway {
namespace {

constexpr std::string_view kHtmlMarkup = "&<>\"'";
constexpr std::string_view kHtmlEntities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};

bool stays_in_html(char c) {
  return c >= ' ' && c < 0x7F && kHtmlMarkup.find(c) == std::string_view::npos;
}

// Keeps line ends and tabs, which matter in <pre>, and makes other control characters visible.
std::string harmless_lines(std::string_view text) {
  std::string lines;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!text.substr(at).starts_with("\r\n")) lines += text[at];
  }
  return printable_lines(lines);
}

std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  line = printable(line);
  return std::string(trim(line));
}

// The position of a character that would make this line a list item, a heading's underline or a
// rule; npos if there is none. (Characters that begin quotes, headings and fences are escaped
// everywhere.)
std::size_t block_mark(std::string_view line) {
  if (line.empty()) return std::string_view::npos;
  const auto ends_mark = [&](std::size_t at) {
    return at >= line.size() || !(is_letter_or_digit(line[at]) || line[at] == '.');
  };
  if (line[0] == '-' || line[0] == '+' || line[0] == '=')
    return ends_mark(1) ? 0 : std::string_view::npos;
  const std::size_t digits = std::find_if_not(line.begin(), line.end(), is_digit) - line.begin();
  const bool numbered =
      digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')');
  return numbered && ends_mark(digits + 1) ? digits : std::string_view::npos;
}

// Underscores inside a word are not markup; without backslashes names are easier to read.
bool is_inside_word(std::string_view line, std::size_t at) {
  return at > 0 && at + 1 < line.size() && is_letter_or_digit(line[at - 1]) &&
         is_letter_or_digit(line[at + 1]);
}

std::string code_span(std::string_view text) {
  if (text.empty()) return "";
  const std::string quotes(longest_run(text, '`') + 1, '`');
  const bool blank = text.find_first_not_of(' ') == std::string_view::npos;
  // Markdown strips one space at each end, so two are added.
  const bool padded = text.front() == '`' || text.back() == '`' ||
                      (!blank && text.front() == ' ' && text.back() == ' ');
  const std::string pad = padded ? " " : "";
  return quotes + pad + std::string(text) + pad + quotes;
}

}  // namespace

std::string html_escaped(std::string_view text) {
  // Fast path: nothing to escape.
  if (std::all_of(text.begin(), text.end(), stays_in_html)) return std::string(text);
  std::string html;
  html.reserve(text.size() + text.size() / 8);
  for (const char c : harmless_lines(text)) {
    const std::size_t place = kHtmlMarkup.find(c);
    if (place == std::string_view::npos)
      html += c;
    else
      html += kHtmlEntities[place];
  }
  return html;
}

std::string markdown_escaped(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_[]<>#|~$&";
  const std::string line = on_one_line(text);
  const std::size_t mark = block_mark(line);
  std::string markdown;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const bool plain_underscore = line[at] == '_' && is_inside_word(line, at);
    const bool is_markup = kMarkup.find(line[at]) != std::string_view::npos && !plain_underscore;
    if (is_markup || at == mark) markdown += '\\';
    markdown += line[at];
  }
  return markdown;
}

std::string markdown_code(std::string_view text) {
  // A pipe ends a table cell, and outside tables a backslash before it is part of the code. So the
  // code is split at pipes.
  std::vector<std::string> pieces = split(printable(text), '|');
  for (std::string& piece : pieces) piece = code_span(piece);
  return join(pieces, "\\|");
}

std::string bytes_escaped(std::string_view text, std::string_view plain,
                          fmt::format_string<unsigned char> format) {
  std::string escaped;
  for (const char c : text) {
    if (is_letter_or_digit(c) || plain.find(c) != std::string_view::npos)
      escaped += c;
    else
      fmt::format_to(std::back_inserter(escaped), format, static_cast<unsigned char>(c));
  }
  return escaped;
}

std::string script_json(const Json& json) {
  return join(split(to_line(json), '<'), "\\u003c");
}

std::string utf8_of(char32_t code) {
  const bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  if (is_surrogate || code > 0x10FFFF) return utf8_of(0xFFFD);
  if (is_control && code != '\n' && code != '\t') return utf8_of(0xFFFD);
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | (code >> 6)), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | (code >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (code >> 18)), tail(12), tail(6), tail(0)};
}

}  // namespace headway
