#include "lib/base/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <pugixml.hpp>

#include "lib/base/text.h"

namespace headway {
namespace {

constexpr std::string_view kPngSignature("\x89PNG\r\n\x1a\n", 8);
constexpr std::size_t kChunkFrame = 12;  // length, type and checksum, four bytes each

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = rest & 1 ? 0xEDB88320u ^ rest >> 1 : rest >> 1;
    table[i] = rest;
  }
  return table;
}

std::uint32_t crc_of(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = crc_table();
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const char c : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xFF] ^ crc >> 8;
  return ~crc;
}

}  // namespace

std::string png_problem(std::string_view bytes) {
  if (bytes.empty()) return "it is empty";
  if (!bytes.starts_with(kPngSignature)) return "it is no PNG";
  std::string_view rest = bytes.substr(kPngSignature.size());
  for (bool is_first = true, has_image = false;; is_first = false) {
    if (rest.size() < kChunkFrame) return "it ends too early";
    const std::size_t length = big_endian(rest);
    if (length > rest.size() - kChunkFrame) return "it ends too early";
    const std::string_view type = rest.substr(4, 4);
    if (crc_of(rest.substr(4, 4 + length)) != big_endian(rest.substr(8 + length)))
      return fmt::format("a checksum is wrong, {} bytes from its start",
                         bytes.size() - rest.size());
    rest.remove_prefix(kChunkFrame + length);
    if (is_first && type != "IHDR") return "it has no header";
    has_image = has_image || type == "IDAT";
    if (type != "IEND") continue;
    if (!has_image) return "it has no image";
    return rest.empty() ? "" : "there is more behind its end";
  }
}

std::string svg_problem(std::string_view text) {
  const std::string_view inner = trim(text);
  if (inner.empty()) return "it is empty";
  if (!is_utf8(inner) || inner.find('\0') != inner.npos) return "it is not UTF-8";
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(inner.data(), inner.size(), pugi::parse_minimal, pugi::encoding_utf8);
  if (!parsed) {
    const auto end = inner.begin() + std::min<std::ptrdiff_t>(parsed.offset, std::ssize(inner));
    return fmt::format("it is no whole XML from line {} on",
                       1 + std::count(inner.begin(), end, '\n'));
  }
  if (document.document_element().name() != std::string_view("svg")) return "its root is no <svg>";
  // The parser skips text outside the root.
  const auto roots = std::distance(document.begin(), document.end());
  if (roots != 1 || !inner.starts_with('<') || !inner.ends_with("</svg>"))
    return "there is more than its <svg>";
  return "";
}

}  // namespace headway
