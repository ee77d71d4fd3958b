#include "lib/data/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/text.h"

namespace headway {
namespace {

const std::vector<std::string> kMarkers = {"pad", "bos", "end"};

}  // namespace

std::optional<Vocabulary> Vocabulary::parse(const std::string& text) {
  std::vector<std::string> words = split(text, ' ');
  if (words.size() <= kMarkers.size() ||
      !std::equal(kMarkers.begin(), kMarkers.end(), words.end() - std::ssize(kMarkers)))
    return std::nullopt;
  words.resize(words.size() - kMarkers.size());
  return Vocabulary(std::move(words));
}

std::string Vocabulary::text(Token token) const {
  if (token < 0 || token > end()) return fmt::format("?{}", token);
  const auto index = static_cast<std::size_t>(token);
  return is_word(token) ? words_[index] : kMarkers[index - words_.size()];
}

std::vector<std::string> Vocabulary::texts() const {
  std::vector<std::string> all = words_;
  all.insert(all.end(), kMarkers.begin(), kMarkers.end());
  return all;
}

std::string Vocabulary::listed() const {
  return join(texts(), " ");
}

}  // namespace headway
