#include "lib/addition/vocabulary.h"

#include <fmt/format.h>

namespace headway {

std::string token_text(Token token) {
  if (token >= 0 && token <= 9) return std::string(1, static_cast<char>('0' + token));
  switch (token) {
    case kPlus:
      return "+";
    case kPad:
      return "pad";
    case kBos:
      return "bos";
    case kEos:
      return "end";
    default:
      return fmt::format("?{}", token);
  }
}

std::string token_label(Token token) {
  return token == kBos ? "BOS" : token_text(token);
}

}  // namespace headway
