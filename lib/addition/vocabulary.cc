#include "lib/addition/vocabulary.h"

namespace headway {

const Vocabulary& addition_vocabulary() {
  static const Vocabulary kVocabulary({"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "+"});
  return kVocabulary;
}

std::string token_text(Token token) {
  return addition_vocabulary().text(token);
}

std::string token_label(Token token) {
  return token == kBos ? "BOS" : token_text(token);
}

std::string sequence_text(std::span<const Token> tokens) {
  std::string text;
  for (const Token token : tokens) {
    if (token != kPad && token != kEos) text += token_text(token);
  }
  return text;
}

}  // namespace headway
