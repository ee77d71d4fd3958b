#include "lib/report/escape.h"

#include <algorithm>

#include "lib/base/text.h"

namespace headway {
namespace {

bool escape_is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool escape_is_word(char c) {
  return escape_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool stays_in_html(char c) {
  return c >= ' ' && c < 0x7F && c != '&' && c != '<' && c != '>' && c != '"' && c != '\'';
}

// Keeps line ends and tabs, which matter in <pre>, and makes other control characters visible.
std::string harmless_lines(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (true) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    std::string_view line = text.substr(0, end);
    const bool ends_line = end < text.size() && text[end] == '\n';
    if (ends_line && line.ends_with('\r')) line.remove_suffix(1);
    clean += printable(line);
    if (end == text.size()) return clean;
    clean += text[end];
    text.remove_prefix(end + 1);
  }
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
    return at >= line.size() || !(escape_is_word(line[at]) || line[at] == '.');
  };
  if (line[0] == '-' || line[0] == '+' || line[0] == '=')
    return ends_mark(1) ? 0 : std::string_view::npos;
  const std::size_t digits =
      std::find_if_not(line.begin(), line.end(), escape_is_digit) - line.begin();
  const bool numbered =
      digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')');
  return numbered && ends_mark(digits + 1) ? digits : std::string_view::npos;
}

// Underscores inside a word are not markup; without backslashes names are easier to read.
bool is_inside_word(std::string_view line, std::size_t at) {
  return at > 0 && at + 1 < line.size() && escape_is_word(line[at - 1]) &&
         escape_is_word(line[at + 1]);
}

std::size_t longest_run_of_backquotes(std::string_view text) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

std::string code_span(std::string_view text) {
  if (text.empty()) return "";
  const std::string quotes(longest_run_of_backquotes(text) + 1, '`');
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
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
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

std::string script_json(const Json& json) {
  std::string script;
  for (const char c : to_line(json)) {
    if (c == '<')
      script += "\\u003c";
    else
      script += c;
  }
  return script;
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
