#include "lib/addition/addition.h"

#include <catch2/catch_test_macros.hpp>

namespace headway {
namespace {

using Tokens = std::vector<Token>;

TEST_CASE("the constants match the vocabulary", "[data]") {
  const Vocabulary& vocabulary = addition_vocabulary();
  CHECK(vocabulary.size() == kVocabularySize);
  CHECK(vocabulary.text(kPlus) == "+");
  CHECK(vocabulary.pad() == kPad);
  CHECK(vocabulary.bos() == kBos);
  CHECK(vocabulary.end() == kEos);
}

TEST_CASE("tokens have names", "[data]") {
  std::string all;
  for (Token token = 0; token < kVocabularySize; ++token) all += token_text(token) + " ";
  CHECK(all == "0 1 2 3 4 5 6 7 8 9 + pad bos end ");
  CHECK(token_text(14) == "?14");
  CHECK(token_text(-1) == "?-1");
}

TEST_CASE("sequences are shown without padding and end token", "[data]") {
  CHECK(sequence_text(Tokens{3, 7, 4, kPlus, 8, 1, 4}) == "374+814");
  CHECK(sequence_text(Tokens{1, 1, 8, 8, kEos, kPad}) == "1188");
  CHECK(sequence_text(Tokens{}) == "");
  CHECK(sequence_text(Tokens{kBos, 99}) == "bos?99");
}

}  // namespace
}  // namespace headway
