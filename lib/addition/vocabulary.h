// The tokens of additions.
#pragma once

#include <span>

#include "lib/data/vocabulary.h"

namespace headway {

const Vocabulary& addition_vocabulary();

inline constexpr Token kPlus = 10;  // 0..9 are the digits
inline constexpr Token kPad = 11;
inline constexpr Token kBos = 12;
inline constexpr Token kEos = 13;
inline constexpr std::int64_t kVocabularySize = 14;

// "7", "+", "pad", "bos", "end"; "?99" for an invalid token.
std::string token_text(Token token);
// The same for an axis, with "BOS" in capitals to stand out.
std::string token_label(Token token);
// "374+814" for [3 7 4 + 8 1 4], "1188" for [1 1 8 8]; without padding and end token.
std::string sequence_text(std::span<const Token> tokens);

}  // namespace headway
