#include "lib/report/markdown_words.h"

#include <fmt/format.h>
#include <md4c.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>

#include "lib/base/text.h"
#include "lib/report/escape.h"

namespace headway {
namespace {

// The character for common entity names; other entities stay.
std::string named_entity(std::string_view name) {
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

// The size in bytes of a non-ASCII symbol at the front: U+00A0 to U+00BF, ×, ÷, and U+2000 to
// U+22FF (dashes, quotes, arrows, operators); 0 if there is none.
std::size_t symbol_size(std::string_view text) {
  if (text.size() >= 2 && text[0] == '\xC2') return 2;
  if (text.starts_with("×") || text.starts_with("÷")) return 2;
  if (text.size() >= 3 && text[0] == '\xE2' && text[1] <= '\x8B') return 3;
  return 0;
}

}  // namespace

const unsigned kMarkdownFlags =
    MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_NOHTML;

std::string entity_text(std::string_view entity) {
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

std::string attribute_text(const MD_ATTRIBUTE& attribute) {
  std::string text;
  for (std::size_t i = 0; attribute.size > 0 && attribute.substr_offsets[i] < attribute.size; ++i) {
    const MD_OFFSET begin = attribute.substr_offsets[i], end = attribute.substr_offsets[i + 1];
    const std::string_view part(attribute.text + begin, end - begin);
    const MD_TEXTTYPE type = attribute.substr_types[i];
    text += type == MD_TEXT_ENTITY     ? entity_text(part)
            : type == MD_TEXT_NULLCHAR ? utf8_of(0)
                                       : std::string(part);
  }
  return text;
}

std::string harmless_address(std::string_view address) {
  const bool has_control = std::ranges::any_of(
      address, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  // "//host" is another host, and browsers treat "\\" like "/".
  if (has_control || address.starts_with('/') || address.find('\\') != std::string_view::npos)
    return "";
  const std::size_t end = address.find_first_of(":/?#");
  if (end != std::string_view::npos && address[end] == ':') {
    std::string scheme(address.substr(0, end));
    std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    // An allow-list, because what browsers run as a script cannot be listed.
    if (scheme != "http" && scheme != "https" && scheme != "mailto") return "";
  }
  return join(split(address, ' '), "%20");
}

std::string with_unbroken_percents(char before, std::string_view text) {
  std::string unbroken;
  for (std::size_t at = 0; at < text.size(); before = text[at++]) {
    const bool joins = is_digit(before) && text.substr(at).starts_with(" %");
    unbroken += joins ? "\u00A0" : text.substr(at, 1);
  }
  return unbroken;
}

std::string heading_words(std::string_view text) {
  const std::string clean = printable(trim(text));
  std::string words;
  for (std::size_t at = 0; at < clean.size();) {
    if (const std::size_t size = symbol_size(std::string_view(clean).substr(at)); size > 0) {
      at += size;
      continue;
    }
    const char c = clean[at++];
    const bool is_capital = c >= 'A' && c <= 'Z';
    const bool is_small = (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '_';
    const bool is_beyond_ascii = static_cast<unsigned char>(c) >= 0x80;
    if (is_capital) words += static_cast<char>(c + 32);
    if (is_small || is_beyond_ascii) words += c;
    if (c == ' ') words += '-';
  }
  return words.empty() ? "section" : words;
}

}  // namespace headway
