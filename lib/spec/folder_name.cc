#include "lib/spec/folder_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "lib/base/digest.h"
#include "lib/base/json.h"
#include "lib/spec/overrides.h"

namespace headway {
namespace {

// In bytes; file systems allow 255, and prefixes and suffixes are added.
constexpr std::size_t kLongestFolderName = 150;
constexpr std::size_t kLongestList = 40;

// Replaces each other character, of however many bytes, by one '_'.
std::string plain_characters(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues = (byte & 0xC0) == 0x80;
    const bool kept = (byte < 0x80 && std::isalnum(byte)) ||
                      std::string_view("._-+").find(c) != std::string_view::npos;
    if (!continues) plain += kept ? c : '_';
  }
  return plain.empty() ? "_" : plain;
}

}  // namespace

std::string value_in_name(const Assignment& assignment) {
  const Value& value = assignment.value;
  if (const std::string* text = value.text()) return plain_characters(*text);
  std::string compact = to_line(to_json(value));
  if (value.is_scalar()) return plain_characters(compact);
  std::erase(compact, '"');
  if (compact.size() <= kLongestList)
    return plain_characters(std::string_view(compact).substr(1, compact.size() - 2));
  if (assignment.place > 0) return fmt::format("#{}", assignment.place);
  return "#" + digest_of(compact).short_hex();
}

namespace {

// Plain names contain no '~', so they cannot equal a name with a digest.
std::string with_digest(const std::string& name, const std::vector<Assignment>& assignments) {
  std::string whole;
  for (const Assignment& assignment : assignments) {
    append_field(whole, assignment.path);
    append_field(whole, to_line(to_json(assignment.value)));
  }
  const std::string ending = "~" + digest_of(whole).short_hex();
  return name.substr(0, kLongestFolderName - ending.size()) + ending;
}

std::string joined_name(const std::vector<Assignment>& assignments) {
  std::string name;
  for (const Assignment& assignment : assignments) {
    if (!name.empty()) name += ',';
    name += plain_characters(assignment.path) + '=' + value_in_name(assignment);
  }
  if (name.empty()) return "defaults";
  // Avoids hidden folders and names that look like options.
  if (name[0] == '.' || name[0] == '-') name[0] = '_';
  return name;
}

// Whether "path=value" in the name reads back as the assignment.
bool is_exact(const Assignment& assignment) {
  if (assignment.path.starts_with('.') || assignment.path.starts_with('-')) return false;
  Diagnostics mistakes;
  const Override read =
      parse_set(plain_characters(assignment.path) + "=" + value_in_name(assignment), mistakes);
  return mistakes.empty() && read.path == assignment.path &&
         to_json(read.value) == to_json(assignment.value);
}

}  // namespace

std::string folder_name(const std::vector<Assignment>& assignments) {
  const std::string name = joined_name(assignments);
  return name.size() <= kLongestFolderName ? name : with_digest(name, assignments);
}

std::string longer_folder_name(const std::vector<Assignment>& assignments) {
  return with_digest(joined_name(assignments), assignments);
}

std::string exact_folder_name(const std::vector<Assignment>& assignments) {
  return std::ranges::all_of(assignments, is_exact) ? folder_name(assignments)
                                                    : longer_folder_name(assignments);
}

std::string without_assignments(const std::string& name) {
  if (name.find('=') == std::string::npos) return name;
  const std::size_t at = name.rfind('@');
  return at == std::string::npos ? "" : name.substr(0, at);
}

}  // namespace headway
