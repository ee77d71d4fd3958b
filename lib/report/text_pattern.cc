#include "lib/report/text_pattern.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {

TextPattern::TextPattern(std::string_view pattern) {
  const std::string quoted = "the pattern '" + printable(pattern) + "'";
  for (;;) {
    const std::size_t open = pattern.find('{');
    texts_.emplace_back(pattern.substr(0, open));
    if (open == std::string_view::npos) break;
    const std::size_t close = pattern.find('}', open);
    if (close == std::string_view::npos)
      throw Error(quoted + " opens a brace and does not close it");
    const std::string name(trim(pattern.substr(open + 1, close - open - 1)));
    if (name.empty()) throw Error(quoted + " has braces without a name");
    if (std::find(names_.begin(), names_.end(), name) != names_.end())
      throw Error("{} has the name '{}' twice", quoted, printable(name));
    if (!names_.empty() && texts_.back().empty())
      throw Error("{} has nothing between '{}' and '{}'", quoted, printable(names_.back()),
                  printable(name));
    names_.push_back(name);
    pattern.remove_prefix(close + 1);
  }
  if (names_.empty()) throw Error(quoted + " has no name in braces");
}

std::optional<std::vector<std::string>> TextPattern::match(std::string_view text) const {
  if (!text.starts_with(texts_.front())) return std::nullopt;
  text.remove_prefix(texts_.front().size());
  std::vector<std::string> found;
  for (std::size_t i = 1; i + 1 < texts_.size(); ++i) {
    const std::size_t end = text.find(texts_[i]);
    if (end == std::string_view::npos) return std::nullopt;
    found.emplace_back(text.substr(0, end));
    text.remove_prefix(end + texts_[i].size());
  }
  if (!text.ends_with(texts_.back())) return std::nullopt;
  found.emplace_back(text.substr(0, text.size() - texts_.back().size()));
  return found;
}

}  // namespace headway
