#include "lib/data/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "lib/base/text.h"

namespace headway {
namespace {

const std::vector<std::string> kMarkers = {"pad", "bos", "end"};

// Bytes of the character that starts with this byte.
std::size_t character_size(unsigned char first) {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}

}  // namespace

std::vector<std::string> characters_of(const std::string& text) {
  std::vector<std::string> characters;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t size = 1;
    const std::size_t wanted = character_size(static_cast<unsigned char>(text[at]));
    while (size < wanted && at + size < text.size() && (text[at + size] & 0xc0) == 0x80) ++size;
    if (size != wanted) size = 1;
    characters.push_back(text.substr(at, size));
    at += size;
  }
  return characters;
}

Vocabulary::Vocabulary(std::vector<std::string> words) : words_(std::move(words)) {
  for (const std::string& word : words_) {
    const bool is_new = numbers_.emplace(word, static_cast<Token>(numbers_.size())).second;
    assert(is_new);
    static_cast<void>(is_new);
    has_only_characters_ &= characters_of(word).size() == 1;
  }
}

Token Vocabulary::find(const std::string& word) const {
  const auto found = numbers_.find(word);
  return found == numbers_.end() ? -1 : found->second;
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

std::string Vocabulary::spell(std::span<const Token> tokens) const {
  std::vector<std::string> words;
  for (const Token token : tokens) {
    if (is_word(token)) words.push_back(words_[static_cast<std::size_t>(token)]);
  }
  return join(words, has_only_characters_ ? "" : " ");
}

std::vector<Token> Vocabulary::find_all(const std::vector<std::string>& words) const {
  std::vector<Token> tokens;
  for (const std::string& word : words) tokens.push_back(find(word));
  return std::ranges::count(tokens, -1) > 0 ? std::vector<Token>() : tokens;
}

std::vector<Token> Vocabulary::read(const std::string& text) const {
  if (has_only_characters_) {
    if (std::vector<Token> tokens = find_all(characters_of(text)); !tokens.empty()) return tokens;
  }
  std::vector<std::string> words = split(text, ' ');
  std::erase(words, "");
  return find_all(words);
}

}  // namespace headway
