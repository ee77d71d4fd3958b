#include "lib/figures/missing_letters.h"

#include <algorithm>
#include <cstdint>
#include <sstream>

#include "lib/base/error.h"
#include "lib/base/tool.h"

namespace headway {
namespace {

struct LetterRange {
  std::uint32_t first = 0;  // code points
  std::uint32_t last = 0;
};

// Of all fonts: "20-7e a0-1a9 2bb" for each.
std::vector<LetterRange> letters_of_fonts(const Path& work) {
  ToolSpec list;
  list.program = "fc-list";
  list.package = "fontconfig";
  list.folder = work;
  list.arguments = {"--format", "%{charset} "};
  std::istringstream words(run_tool(list).said);
  std::vector<LetterRange> ranges;
  for (std::string word; words >> word;) {
    char* end = nullptr;
    const auto first = static_cast<std::uint32_t>(std::strtoul(word.c_str(), &end, 16));
    const auto last =
        *end == '-' ? static_cast<std::uint32_t>(std::strtoul(end + 1, nullptr, 16)) : first;
    ranges.push_back({first, last});
  }
  return ranges;
}

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// Of its bytes in UTF-8.
std::uint32_t code_point(std::string_view letter) {
  const auto lead = static_cast<unsigned char>(letter[0]);
  std::uint32_t code = letter.size() == 1 ? lead : lead & (0x7FU >> letter.size());
  for (const char byte : letter.substr(1))
    code = code << 6U | (static_cast<unsigned char>(byte) & 0x3FU);
  return code;
}

std::string with_boxes(const std::string& text, const std::vector<LetterRange>& known) {
  std::string result;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    end = begin + 1;
    while (end < text.size() && is_continuation(text[end])) ++end;
    const std::string_view letter = std::string_view(text).substr(begin, end - begin);
    const std::uint32_t code = code_point(letter);
    const bool is_known = code < 0x80 || std::ranges::any_of(known, [&](const LetterRange& range) {
                            return range.first <= code && code <= range.last;
                          });
    result += is_known ? letter : "□";
  }
  return result;
}

bool is_ascii(const std::string& text) {
  return std::ranges::all_of(text,
                             [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
}

}  // namespace

Figure without_missing_letters(const Figure& figure, const Path& work) {
  if (is_ascii(figure.script) && is_ascii(figure.data)) return figure;
  try {
    const std::vector<LetterRange> known = letters_of_fonts(work);
    return {with_boxes(figure.script, known), with_boxes(figure.data, known), figure.size};
  } catch (const Error&) {
    return figure;
  }
}

}  // namespace headway
