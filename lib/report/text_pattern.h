// Splits lines of text: "{problem} -> {sum}, predicted {answer}" matches
// "12+9 -> 21, predicted 11".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headway {

class TextPattern {
 public:
  // Names in braces with text between them. Throws Error if a brace is unclosed, a name is empty or
  // repeated, there is no name, or nothing separates two names.
  explicit TextPattern(std::string_view pattern);

  const std::vector<std::string>& names() const { return names_; }

  // The text for each name; nullopt if the whole text does not match. A name takes as little as
  // possible, the last one the rest.
  std::optional<std::vector<std::string>> match(std::string_view text) const;

 private:
  std::vector<std::string> texts_;  // before each name and after the last
  std::vector<std::string> names_;
};

}  // namespace headway
