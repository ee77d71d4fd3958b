#include "lib/base/json.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/text.h"

namespace headway {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

// The bracket that opens one level too many. As far as the text is JSON, its strings are found here
// just as the parser finds them; behind the first mistake the parser builds nothing.
std::size_t find_too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepestJson) return at;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return kNowhere;
}

// Builds nothing, and remembers where the parser stopped.
class MistakeFinder final : public nlohmann::json_sax<Json> {
 public:
  std::size_t at = kNowhere;
  bool is_number = false;  // one that no double can hold

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    at = position - std::min<std::size_t>(position, 1);  // it counts from 1
    is_number = dynamic_cast<const Json::out_of_range*>(&error) != nullptr;
    return false;
  }
};

bool is_in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '+' || c == '-' ||
         c == '.';
}

std::string place_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  return fmt::format("line {}, column {}: ", std::count(before.begin(), before.end(), '\n') + 1,
                     display_width(before.substr(before.rfind('\n') + 1)) + 1);
}

// `at`: where the parser stopped, which may be inside a word.
std::string mistake_at(std::string_view text, std::size_t at, bool is_number) {
  std::size_t end = std::min(at, text.size());
  while (end < text.size() && is_in_word(text[end])) ++end;
  at = std::min(at, end);
  while (at > 0 && (end > at || is_number) && is_in_word(text[at - 1])) --at;
  const std::string place = place_of(text, at);
  if (at >= text.size()) return place + "it ends too early";
  std::string word(text.substr(at, std::max<std::size_t>(end - at, 1)));
  if (is_number)
    return fmt::format("{}the number {} is too large", place, fit(printable(word), 40));
  std::string number = word.substr(word[0] == '-' || word[0] == '+');
  for (char& c : number) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (number == "nan" || number == "inf" || number == "infinity")
    return place + "NaN or Infinity is not a JSON number; write null";
  if (word == "\'") return place + "text is in double quotes in JSON";
  return fmt::format("{}unexpected '{}'", place, fit(printable(word), 40));
}

}  // namespace

std::optional<Json> parse_json(std::string_view text, const Json::parser_callback_t& watch) {
  // To the parser, a zero byte is the end of the text, whatever follows.
  if (text.find('\0') != kNowhere || find_too_deep(text) != kNowhere) return std::nullopt;
  Json value = Json::parse(text, watch, /*allow_exceptions=*/false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

std::string json_mistake(std::string_view text) {
  if (trim(text).empty()) return "it is empty";
  if (const std::size_t zero = text.find('\0'); zero != kNowhere)
    return place_of(text, zero) + "a zero byte: this is not text";
  if (const std::size_t deep = find_too_deep(text); deep != kNowhere)
    return fmt::format("{}nested more than {} levels deep", place_of(text, deep), kDeepestJson);
  MistakeFinder finder;
  if (Json::sax_parse(text, &finder)) return "";
  return mistake_at(text, finder.at, finder.is_number);
}

std::string to_line(const Json& value) {
  return to_lines(value, -1);
}

std::string to_lines(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string excerpt(const Json& value, std::size_t width) {
  return fit(printable(to_line(value)), width);
}

}  // namespace headway
