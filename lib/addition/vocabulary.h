// The tokens of the arithmetic tasks. Padding and the begin of a sequence are tokens of their own:
// a padding id that is also the digit 0 would make the loss ignore every zero.
#pragma once

#include <cstdint>
#include <string>

namespace headway {

using Token = std::int32_t;

inline constexpr Token kPlus = 10;  // 0..9 are the digits
inline constexpr Token kPad = 11;
inline constexpr Token kBos = 12;  // what the decoder is fed first
inline constexpr Token kEos = 13;  // ends targets, where they differ in length
inline constexpr std::int64_t kVocabularySize = 14;

// "7", "+", "pad", "bos", "end"; "?99" for what is no token.
std::string token_text(Token token);
// The same for an axis: "BOS" stands out among the digits.
std::string token_label(Token token);

}  // namespace headway
