// Helpers for Markdown text: entities, addresses, heading ids.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "lib/base/text.h"
#include "lib/report/escape.h"

namespace headway {

// The character for common entity names; other entities stay.
inline std::string named_entity(std::string_view name) {
  static const std::map<std::string_view, std::string_view> kEntities = {
      {"amp", "&"},         {"lt", "<"},    {"gt", ">"},     {"quot", "\""},  {"apos", "'"},
      {"nbsp", "\u00A0"},   {"ndash", "–"}, {"mdash", "—"},  {"hellip", "…"}, {"middot", "·"},
      {"times", "×"},       {"minus", "−"}, {"plusmn", "±"}, {"le", "≤"},     {"ge", "≥"},
      {"ne", "≠"},          {"larr", "←"},  {"rarr", "→"},   {"copy", "©"},   {"deg", "°"},
      {"thinsp", "\u2009"}, {"lsquo", "‘"}, {"rsquo", "’"},  {"ldquo", "“"},  {"rdquo", "”"},
      {"laquo", "«"},       {"raquo", "»"}, {"sect", "§"},   {"para", "¶"},   {"shy", "\u00AD"},
  };
  const auto found = kEntities.find(name);
  return found == kEntities.end() ? fmt::format("&{};", name) : std::string(found->second);
}

// "&lt;" and "&#60;" -> "<"
inline std::string entity_text(std::string_view entity) {
  std::string_view name = entity.substr(1, entity.size() - 2);
  if (!name.starts_with('#')) return named_entity(name);
  name.remove_prefix(1);
  const bool hexadecimal = name.starts_with('x') || name.starts_with('X');
  if (hexadecimal) name.remove_prefix(1);
  std::uint32_t code = 0;
  const auto read =
      std::from_chars(name.data(), name.data() + name.size(), code, hexadecimal ? 16 : 10);
  return utf8_of(read.ec == std::errc{} ? code : 0);
}

// The escaped address; "" if the page must not link to it. Uses an allow-list, because what
// browsers run as a script cannot be listed.
inline std::string harmless_address(std::string_view address) {
  const bool has_control = std::any_of(address.begin(), address.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  // "//host" is another host, and browsers treat "\\" like "/".
  if (has_control || address.starts_with('/') || address.find('\\') != std::string_view::npos)
    return "";
  const std::size_t end = address.find_first_of(":/?#");
  if (end != std::string_view::npos && address[end] == ':') {
    std::string scheme(address.substr(0, end));
    std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (scheme != "http" && scheme != "https" && scheme != "mailto") return "";
  }
  std::string harmless;
  for (const char c : address) {
    if (c == ' ')
      harmless += "%20";
    else
      harmless += c;
  }
  return harmless;
}

// Puts no-break spaces into "5 %". `before` is the character before the text.
inline std::string with_unbroken_percents(char before, std::string_view text) {
  std::string unbroken;
  for (std::size_t at = 0; at < text.size(); before = text[at++]) {
    const bool joins = before >= '0' && before <= '9' && text.substr(at).starts_with(" %");
    unbroken += joins ? "\u00A0" : text.substr(at, 1);
  }
  return unbroken;
}

// The size in bytes of a non-ASCII symbol at the front: U+00A0 to U+00BF, ×, ÷, and U+2000 to
// U+22FF (dashes, quotes, arrows, operators); 0 if there is none.
inline std::size_t symbol_size(std::string_view text) {
  if (text.size() >= 2 && text[0] == '\xC2') return 2;
  if (text.starts_with("×") || text.starts_with("÷")) return 2;
  if (text.size() >= 3 && text[0] == '\xE2' && text[1] <= '\x8B') return 3;
  return 0;
}

// A heading's id as on GitHub, so that links within REPORT.md work there too.
inline std::string heading_words(std::string_view text) {
  const std::string clean = printable(trim(text));
  std::string words;
  for (std::size_t at = 0; at < clean.size();) {
    if (const std::size_t size = symbol_size(std::string_view(clean).substr(at)); size > 0) {
      at += size;
      continue;
    }
    const char c = clean[at++];
    const bool is_capital = c >= 'A' && c <= 'Z';
    const bool is_small = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    const bool is_beyond_ascii = static_cast<unsigned char>(c) >= 0x80;
    if (is_capital) words += static_cast<char>(c + 32);
    if (is_small || is_beyond_ascii) words += c;
    if (c == ' ') words += '-';
  }
  return words.empty() ? "section" : words;
}

}  // namespace headway
