#include "lib/data/vocabulary.h"

#include <catch2/catch_test_macros.hpp>

namespace headway {
namespace {

using Texts = std::vector<std::string>;
using Tokens = std::vector<Token>;

const Vocabulary kSums({"0", "1", "2", "+"});
const Vocabulary kColours({"red", "green", "blue"});

TEST_CASE("markers stand behind the words", "[data]") {
  CHECK(kSums.size() == 7);
  CHECK(kSums.texts() == Texts{"0", "1", "2", "+", "pad", "bos", "end"});
  CHECK(kSums.pad() == 4);
  CHECK(kSums.bos() == 5);
  CHECK(kSums.end() == 6);
  CHECK(kSums.is_word(3));
  CHECK_FALSE(kSums.is_word(4));
  CHECK_FALSE(kSums.is_word(-1));
}

TEST_CASE("an invalid token has a text for messages", "[data]") {
  CHECK(kSums.text(2) == "2");
  CHECK(kSums.text(7) == "?7");
  CHECK(kSums.text(-1) == "?-1");
}

TEST_CASE("words are found by their text", "[data]") {
  CHECK(kSums.find("+") == 3);
  CHECK(kSums.find("pad") == -1);
}

TEST_CASE("sequences are spelt without markers, with spaces only between longer words", "[data]") {
  CHECK(kSums.spell(Tokens{1, 2, 3, 0, kSums.end(), kSums.pad()}) == "12+0");
  CHECK(kSums.spell(Tokens{}) == "");
  CHECK(kColours.spell(Tokens{2, 0, kColours.pad()}) == "blue red");
}

TEST_CASE("what was spelt can be read", "[data]") {
  CHECK(kSums.read("12+0") == Tokens{1, 2, 3, 0});
  CHECK(kColours.read(" blue  red ") == Tokens{2, 0});
  CHECK(kSums.read("12-0").empty());
  CHECK(kColours.read("blue pink").empty());
}

TEST_CASE("a character may have several bytes", "[data]") {
  CHECK(characters_of("aä→😀") == Texts{"a", "ä", "→", "😀"});
  CHECK(characters_of("\xff"
                      "a\xc3") == Texts{"\xff", "a", "\xc3"});
  CHECK(Vocabulary({"ä", "😀"}).read("😀ä") == Tokens{1, 0});
}

}  // namespace
}  // namespace headway
