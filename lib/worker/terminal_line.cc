#include "lib/worker/terminal_line.h"

#include <algorithm>

#include "lib/base/text.h"

namespace headway {
namespace {

constexpr char kEscape = '\x1b';
constexpr char kBell = '\x07';

bool is_between(char c, unsigned char first, unsigned char last) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= first && byte <= last;
}

// The length of the escape sequence at the front (ECMA-48); all of the text if its end is missing.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  const auto is_string = [](char c) {
    return std::string_view("]PX^_").find(c) != std::string::npos;
  };
  if (is_string(text[1])) {  // a title, a link: text up to BEL or ESC backslash
    const std::size_t end = text.find_first_of(std::string{kBell, kEscape}, 2);
    if (end == std::string_view::npos) return text.size();
    return text[end] == kBell ? end + 1 : std::min(end + 2, text.size());
  }
  std::size_t at = text[1] == '[' ? 2 : 1;  // a control sequence, or a shorter one
  if (at == 2) {
    while (at < text.size() && is_between(text[at], 0x30, 0x3F)) ++at;
  }
  while (at < text.size() && is_between(text[at], 0x20, 0x2F)) ++at;
  return std::min(at + 1, text.size());
}

void remove_last_character(std::string& text) {
  while (!text.empty() && is_between(text.back(), 0x80, 0xBF)) text.pop_back();
  if (!text.empty()) text.pop_back();
}

// Without an incomplete UTF-8 sequence at the end.
std::string_view whole_characters(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (is_between(text[text.size() - back], 0x80, 0xBF)) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return text.substr(0, length > back ? text.size() - back : text.size());
  }
  return text;
}

}  // namespace

std::string terminal_line(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const char c = bytes.front();
    const std::size_t length = c == kEscape ? escape_length(bytes) : 1;
    if (c == '\b') {
      remove_last_character(text);
    } else if (c == '\t') {
      text += ' ';
    } else if (!is_between(c, 0, 0x1F) && c != '\x7F') {
      text += c;
    }
    bytes.remove_prefix(length);
  }
  return printable(trim(whole_characters(text)));
}

}  // namespace headway
