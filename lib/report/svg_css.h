// CSS inside of a drawing: values, declarations and rules, cleaned so that they fetch nothing and
// reach nothing outside of the drawing.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "lib/base/text.h"
#include "lib/report/svg_allowed.h"

namespace headway {

// The ids that a drawing defines, and what they are called in the page.
struct SvgIds {
  std::set<std::string, std::less<>> known;
  std::string prefix;

  bool has(std::string_view id) const { return known.contains(id); }
  std::string renamed(std::string_view id) const { return prefix + std::string(id); }
};

inline bool is_css_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

// The text as a name that CSS takes for one: what else is in it by its number. Capital digits: a
// "." in it ("_2E") makes it differ from all ids of headings, which are small.
inline std::string css_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (is_css_word(c))
      name += c;
    else
      name += fmt::format("_{:X}", static_cast<unsigned char>(c));
  }
  const bool begins_with_letter = !name.empty() && (name[0] == '_' || (name[0] | 0x20) >= 'a');
  return begins_with_letter ? name : "_" + name;
}

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower;
}

// The id in "#a", "'#a'": what url() refers to; nothing where it is no id of this drawing.
inline std::optional<std::string> url_id(std::string_view address, const SvgIds& ids) {
  address = trim(address);
  const bool quoted = address.size() >= 2 && address.front() == address.back() &&
                      (address.front() == '"' || address.front() == '\'');
  if (quoted) address = address.substr(1, address.size() - 2);
  if (!address.starts_with('#') || !ids.has(address.substr(1))) return std::nullopt;
  return ids.renamed(address.substr(1));
}

// Nothing where the value may not stay.
inline std::optional<std::string> clean_css_value(std::string_view value, const SvgIds& ids) {
  // A backslash could spell url( in another way; a comment could hide it.
  if (value.find_first_of("\\<@{};") != std::string_view::npos) return std::nullopt;
  if (value.find("/*") != std::string_view::npos) return std::nullopt;
  if (std::count(value.begin(), value.end(), '"') % 2 != 0) return std::nullopt;
  if (std::count(value.begin(), value.end(), '\'') % 2 != 0) return std::nullopt;
  std::string clean;
  std::size_t at = 0;
  for (std::size_t open = value.find('('); open != std::string_view::npos;
       open = value.find('(', at)) {
    std::size_t name = open;
    while (name > at && is_css_word(value[name - 1])) --name;
    const std::string function = lower_case(value.substr(name, open - name));
    const std::size_t close = value.find(')', open);
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view argument = value.substr(open + 1, close - open - 1);
    clean += value.substr(at, name - at);
    if (function == "url") {
      const std::optional<std::string> id = url_id(argument, ids);
      if (!id) return std::nullopt;
      clean += "url(#" + *id + ")";
    } else {
      if (!svg_functions().contains(function)) return std::nullopt;
      if (argument.find('(') != std::string_view::npos) return std::nullopt;
      clean += value.substr(name, close + 1 - name);
    }
    at = close + 1;
  }
  return clean + std::string(value.substr(at));
}

// "fill:red;stroke:url(#a)": the declarations that may stay.
inline std::string clean_declarations(std::string_view style, const SvgIds& ids) {
  std::string clean;
  for (const std::string& declaration : split(style, ';')) {
    const std::size_t colon = declaration.find(':');
    if (colon == std::string::npos) continue;
    const std::string property = lower_case(trim(std::string_view(declaration).substr(0, colon)));
    if (!svg_properties().contains(property)) continue;
    const auto value = clean_css_value(trim(std::string_view(declaration).substr(colon + 1)), ids);
    if (!value || value->empty()) continue;
    clean += (clean.empty() ? "" : ";") + property + ":" + *value;
  }
  return clean;
}

// With the drawing's ids as the page calls them; empty where it is no plain selector.
inline std::string clean_selector(std::string_view selector, const SvgIds& ids) {
  std::string clean;
  for (std::size_t at = 0; at < selector.size();) {
    const char c = selector[at++];
    if (!is_css_word(c) && std::string_view(" .#*>+~\n\t").find(c) == std::string_view::npos)
      return "";
    clean += c;
    if (c != '#') continue;
    std::size_t end = at;
    while (end < selector.size() && is_css_word(selector[end])) ++end;
    clean += ids.renamed(selector.substr(at, end - at));
    at = end;
  }
  return clean;
}

// The rules of a <style>, each for what is inside of `scope` ("#figure-svg") alone; the style of a
// drawing would otherwise be that of the page. Empty where there is anything but plain rules.
inline std::string clean_rules(std::string_view css, const SvgIds& ids, const std::string& scope) {
  if (css.find_first_of("\\@<") != std::string_view::npos) return "";
  if (css.find("/*") != std::string_view::npos) return "";
  std::string clean;
  for (css = trim(css); !css.empty(); css = trim(css)) {
    const std::size_t open = css.find('{'), close = css.find('}');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
      return "";
    const std::string declarations =
        clean_declarations(css.substr(open + 1, close - open - 1), ids);
    std::string selectors;
    for (const std::string& selector : split(css.substr(0, open), ',')) {
      const std::string inside = clean_selector(trim(selector), ids);
      if (!inside.empty()) selectors += (selectors.empty() ? "" : ",") + scope + " " + inside;
    }
    if (!declarations.empty() && !selectors.empty()) clean += selectors + "{" + declarations + "}";
    css.remove_prefix(close + 1);
  }
  return clean;
}

}  // namespace headway
