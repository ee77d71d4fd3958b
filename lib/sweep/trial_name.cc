#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include "lib/base/digest.h"
#include "lib/base/json.h"
#include "lib/sweep/trials.h"

namespace headway {
namespace {

constexpr std::size_t kLongestName =
    150;  // bytes; file systems allow 255, and prefixes and suffixes are added
constexpr std::size_t kLongestList = 40;

// Replaces each other character, of however many bytes, by one '_'.
std::string plain_characters(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool kept =
        (byte < 0x80 && std::isalnum(byte)) || c == '.' || c == '_' || c == '-' || c == '+';
    const bool continues = (byte & 0xC0) == 0x80;
    if (kept)
      plain += c;
    else if (!continues)
      plain += '_';
  }
  return plain.empty() ? "_" : plain;
}

std::string value_part(const Assignment& assignment) {
  const Value& value = assignment.value;
  if (const std::string* text = value.text()) return plain_characters(*text);
  std::string compact = to_line(to_json(value));
  if (value.is_scalar()) return plain_characters(compact);
  std::erase(compact, '"');
  if (compact.size() <= kLongestList) {
    return plain_characters(std::string_view(compact).substr(1, compact.size() - 2));
  }
  if (assignment.place > 0) return fmt::format("#{}", assignment.place);
  return "#" + digest_of(compact).short_hex();
}

// Plain names contain no '~', so they cannot equal a name with a digest.
std::string with_digest(const std::string& name, const std::vector<Assignment>& overrides) {
  std::string whole;
  for (const Assignment& assignment : overrides) {
    append_field(whole, assignment.path);
    append_field(whole, to_line(to_json(assignment.value)));
  }
  const std::string ending = "~" + digest_of(whole).short_hex();
  return name.substr(0, kLongestName - ending.size()) + ending;
}

std::string joined_name(const std::vector<Assignment>& overrides) {
  std::string name;
  for (const Assignment& assignment : overrides) {
    if (!name.empty()) name += ',';
    name += plain_characters(assignment.path) + '=' + value_part(assignment);
  }
  if (name.empty()) return "defaults";
  // Avoids hidden folders and names that look like options.
  if (name[0] == '.' || name[0] == '-') name[0] = '_';
  return name;
}

}  // namespace

std::string trial_name(const std::vector<Assignment>& overrides) {
  const std::string name = joined_name(overrides);
  return name.size() <= kLongestName ? name : with_digest(name, overrides);
}

std::string longer_trial_name(const std::vector<Assignment>& overrides) {
  return with_digest(joined_name(overrides), overrides);
}

}  // namespace headway
