#include "lib/addition/findings/head_statistics.h"

#include <catch2/catch_test_macros.hpp>

namespace headway {
namespace {

bool statistics_say(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

Sources statistics_sources(const std::string& rows) {
  Sources sources;
  sources.add("statistics",
              {{"", "attention.table", "heads.csv",
                "label,module,layer,diagonal,operator,carry,column,entropy,carry_with,"
                "carry_without\n" +
                    rows}});
  return sources;
}

const char* const kTwoHeads =
    "Encoder L0 H0,encoder,0,0.1,0.6,0.05,0.2,0.9,0.04,0.06\n"
    "Decoder Cross L0 H0,decoder-cross,0,,0.1,0.55,0.3,0.5,0.7,0.4\n";

TEST_CASE("the strongest head of each statistic stands in a table, undefined ones left out") {
  const std::string text = tell_head_statistics(statistics_sources(kTwoHeads));
  CHECK(statistics_say(text, "| its own position (diagonal) | Encoder L0 H0 | 10 % | 10 % | 1 |"));
  CHECK(statistics_say(text, "(carry) | Decoder Cross L0 H0 | 55 % | 30 % | 2 |"));
  CHECK_FALSE(statistics_say(text, "(previous)"));
}

TEST_CASE("heads are specialised where one place has more than half of their weight") {
  CHECK(statistics_say(tell_head_statistics(statistics_sources(kTwoHeads)),
                       "2 of 2 heads give on average more than half of their weight"));
  CHECK(statistics_say(
      tell_head_statistics(statistics_sources("A,encoder,0,0.1,0.5,0.05,0.2,0.9,0.04,0.06\n")),
      "No head gives, on average, more than half of its weight"));
}

TEST_CASE("heads that look at a carry more where there is one are counted both ways") {
  const std::string text = tell_head_statistics(statistics_sources(
      std::string(kTwoHeads) + "Decoder Cross L0 H1,decoder-cross,0,,0.1,0.3,0.3,0.5,0.1,0.5\n"));
  CHECK(statistics_say(text,
                       "Of 3 heads that can look at the column to the right, 1 gives it over 5 "
                       "points more weight where it carries, and 1 gives it over 5 points less."));
  CHECK(statistics_say(
      text,
      "The largest rise is that of Decoder Cross L0 H0 (70 % where that column carries, 40 % "
      "where it does not)"));
  CHECK(statistics_say(text, "The largest fall is that of Decoder Cross L0 H1 (10 %"));
}

TEST_CASE("where no head depends on the carry none is named") {
  const std::string text = tell_head_statistics(statistics_sources(
      "A,encoder,0,0.1,0.5,0.05,0.2,0.9,0.04,0.06\nB,encoder,0,0.1,0.5,0.05,0.2,0.9,0.06,0.04\n"));
  CHECK(statistics_say(
      text, "none gives it over 5 points more weight where it carries, and none gives it"));
  CHECK_FALSE(statistics_say(text, "largest rise"));
  CHECK_FALSE(statistics_say(text, "largest fall"));
}

TEST_CASE("even attention is what the number of digits makes it") {
  Sources sources = statistics_sources(kTwoHeads);
  sources.add("data", {{"", "data.metrics", "metrics.json", R"({"digits": 3})"}});
  // Of 7 tokens: 1/7 for the encoder's column, 2/7 else.
  CHECK(statistics_say(
      tell_head_statistics(sources),
      "goes in 2 of 2 heads to the digits of their column and in 1 of 2 heads to the "
      "column to the right"));
}

TEST_CASE("the leading digit's column is a place of its own, and of that digit alone") {
  Sources sources;
  sources.add("statistics", {{"", "attention.table", "heads.csv",
                              "label,module,layer,carry,leading\nA,decoder-cross,0,0.1,0.9\n"
                              "B,decoder-cross,0,0.2,0.1\nC,encoder,0,0.2,\n"}});
  sources.add("data", {{"", "data.metrics", "metrics.json", R"({"digits": 3})"}});
  const std::string text = tell_head_statistics(sources);
  CHECK(statistics_say(text, "for the leading digit alone (leading) | A | 90 % | 50 % | 2 |"));
  CHECK(statistics_say(text, "No head gives, on average, more than half of its weight"));
  CHECK(statistics_say(text,
                       "in 0 of 3 heads to the column to the right and in 1 of 2 heads to the "
                       "leftmost column when the leading digit is written"));
}

}  // namespace
}  // namespace headway
