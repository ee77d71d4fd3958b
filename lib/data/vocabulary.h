// The tokens of a sequence-to-sequence dataset: the task's words, numbered from 0, then three
// markers. Padding is a separate token: if it were also a word, the loss would ignore that word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headway {

using Token = std::int32_t;

class Vocabulary {
 public:
  Vocabulary() = default;
  explicit Vocabulary(std::vector<std::string> words) : words_(std::move(words)) {}
  // Parses the text of listed(); nullopt if it does not end with the three markers.
  static std::optional<Vocabulary> parse(const std::string& text);

  std::int64_t size() const { return end() + 1; }  // words and markers
  bool is_word(Token token) const { return token >= 0 && token < pad(); }
  Token pad() const { return static_cast<Token>(words_.size()); }
  Token bos() const { return pad() + 1; }  // the decoder's first input
  Token end() const { return pad() + 2; }  // ends targets of different lengths

  // A word, "pad", "bos" or "end"; "?99" for an invalid token.
  std::string text(Token token) const;
  // All tokens, in order; for other programs also as one text, "a b c pad bos end".
  std::vector<std::string> texts() const;
  std::string listed() const;

  bool operator==(const Vocabulary&) const = default;

 private:
  std::vector<std::string> words_;
};

}  // namespace headway
