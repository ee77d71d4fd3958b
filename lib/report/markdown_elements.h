// The enabled Markdown extensions, and the HTML elements for md4c's blocks and spans.
#pragma once

#include <md4c.h>

#include <string>
#include <string_view>

#include "lib/report/escape.h"
#include "lib/report/markdown_words.h"

namespace headway {

inline constexpr unsigned kMarkdownFlags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH |
                                           MD_FLAG_TASKLISTS | MD_FLAG_NOHTML |
                                           MD_FLAG_LATEXMATHSPANS;

// Empty if the block needs more than one element.
inline std::string_view block_element(MD_BLOCKTYPE type) {
  switch (type) {
    case MD_BLOCK_QUOTE:
      return "blockquote";
    case MD_BLOCK_UL:
      return "ul";
    case MD_BLOCK_OL:
      return "ol";
    case MD_BLOCK_LI:
      return "li";
    case MD_BLOCK_P:
      return "p";
    case MD_BLOCK_TABLE:
      return "table";
    case MD_BLOCK_THEAD:
      return "thead";
    case MD_BLOCK_TBODY:
      return "tbody";
    case MD_BLOCK_TR:
      return "tr";
    case MD_BLOCK_TH:
      return "th";
    case MD_BLOCK_TD:
      return "td";
    default:
      return "";
  }
}

inline std::string_view span_element(MD_SPANTYPE type) {
  switch (type) {
    case MD_SPAN_EM:
      return "em";
    case MD_SPAN_STRONG:
      return "strong";
    case MD_SPAN_CODE:
      return "code";
    case MD_SPAN_DEL:
      return "del";
    default:
      return "span";
  }
}

inline std::string attribute_text(const MD_ATTRIBUTE& attribute) {
  std::string text;
  for (std::size_t i = 0; attribute.size > 0 && attribute.substr_offsets[i] < attribute.size; ++i) {
    const MD_OFFSET begin = attribute.substr_offsets[i], end = attribute.substr_offsets[i + 1];
    const std::string_view part(attribute.text + begin, end - begin);
    switch (attribute.substr_types[i]) {
      case MD_TEXT_ENTITY:
        text += entity_text(part);
        break;
      case MD_TEXT_NULLCHAR:
        text += utf8_of(0);
        break;
      default:
        text += part;
    }
  }
  return text;
}

}  // namespace headway
