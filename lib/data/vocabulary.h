// The tokens of a dataset: the task's words, numbered from 0, then three markers. Padding is a
// separate token: if it were also a word, the loss would ignore that word.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace headway {

using Token = std::int32_t;

class Vocabulary {
 public:
  Vocabulary() = default;
  // Words must be different.
  explicit Vocabulary(std::vector<std::string> words);

  const std::vector<std::string>& words() const { return words_; }
  std::int64_t size() const { return end() + 1; }  // words and markers
  bool is_word(Token token) const { return token >= 0 && token < pad(); }
  Token pad() const { return static_cast<Token>(words_.size()); }
  Token bos() const { return pad() + 1; }  // a decoder's first input
  Token end() const { return pad() + 2; }  // ends targets of different lengths

  Token find(const std::string& word) const;  // -1: not a word
  // A word, "pad", "bos" or "end"; "?99" for an invalid token.
  std::string text(Token token) const;
  std::vector<std::string> texts() const;  // of all tokens, in order
  // The words of a sequence, without markers: "374+814" if all words of the vocabulary are single
  // characters, else with spaces between them.
  std::string spell(std::span<const Token> tokens) const;
  // The tokens of a text that spell() gives, or of words with spaces between them; empty if one is
  // not a word.
  std::vector<Token> read(const std::string& text) const;

  bool operator==(const Vocabulary& other) const { return words_ == other.words_; }

 private:
  std::vector<Token> find_all(const std::vector<std::string>& words) const;

  std::vector<std::string> words_;
  std::unordered_map<std::string, Token> numbers_;
  bool has_only_characters_ = true;
};

// The characters (code points) of a UTF-8 text; a byte that is not UTF-8 counts as one.
std::vector<std::string> characters_of(const std::string& text);

}  // namespace headway
