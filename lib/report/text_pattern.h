// Takes lines of text apart: "{problem}={sum}, predicted {answer}" matches "12+9=21, predicted 11".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headway {

class TextPattern {
 public:
  // Names in braces, with text between them. An Error where a brace is not closed, a name is empty
  // or given twice, there is no name, or nothing separates two of them.
  explicit TextPattern(std::string_view pattern);

  const std::vector<std::string>& names() const { return names_; }

  // What stands at each name, or nullopt where the whole text does not match. A name takes as
  // little as possible; the last one takes the rest.
  std::optional<std::vector<std::string>> match(std::string_view text) const;

 private:
  std::vector<std::string> texts_;  // before each name and after the last
  std::vector<std::string> names_;
};

}  // namespace headway
