#include "lib/addition/findings/carry_discussion.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"

namespace headway {
namespace {

bool discussion_says(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

struct DiscussedHead {
  const char* label;
  const char* module;
  const char* carry;  // weight; "" where there is none
  double drop;
  const char* leading = "";
};

std::string discussed_drops(const std::vector<DiscussedHead>& heads) {
  std::string table = "label,module,layer,class,drop,low,high,greedy\n";
  for (const DiscussedHead& head : heads) {
    const std::string drop = std::to_string(head.drop);
    table += std::string(head.label) + "," + head.module + ",0,";
    table += head.drop > 10 ? "critical" : head.drop > 1 ? "important" : "redundant";
    table += "," + drop + "," + drop + "," + drop + ",0.1\n";
  }
  return table;
}

std::string discussed_looks(const std::vector<DiscussedHead>& heads) {
  std::string table = "label,module,layer,carry,carry_with,carry_without,leading\n";
  for (const DiscussedHead& head : heads) {
    table += std::string(head.label) + "," + head.module + ",0," + head.carry + "," + head.carry +
             "," + head.carry + "," + head.leading + "\n";
  }
  return table;
}

// Two digits: five tokens, so that even attention gives the two digits of a column 2/5.
Sources discussion_with(const std::string& looks, std::vector<SourceFile> drops) {
  Sources sources;
  sources.add("heads", std::move(drops));
  sources.add("statistics", {{"", "attention.table", "heads.csv", looks}});
  sources.add("data", {{"", "data.metrics", "metrics.json", R"({"digits": 2})"}});
  return sources;
}

SourceFile discussed_way(const std::string& way, const std::vector<DiscussedHead>& heads) {
  return {way, "ablate@" + way + ".table", "heads.csv", discussed_drops(heads)};
}

Sources discussion_sources(const std::vector<DiscussedHead>& heads) {
  return discussion_with(discussed_looks(heads), {discussed_way("zero", heads)});
}

TEST_CASE("the discussion says in which attention heads look for the carry") {
  const auto told = [](const char* encoder, const char* cross) {
    return tell_carry_discussion(
        discussion_sources({{"E", "encoder", encoder, 5}, {"C", "decoder-cross", cross, 5}}));
  };
  CHECK(discussion_says(told("0.1", "0.9"), "So heads look there in cross-attention"));
  CHECK(discussion_says(told("0.9", "0.1"), "So heads look there in the encoder"));
  CHECK(discussion_says(told("0.9", "0.8"), "So heads look there in both places"));
  CHECK(discussion_says(told("0.1", "0.2"), "So no single head is turned to that column"));
  CHECK(discussion_says(told("0.1", "0.9"),
                        "none of 1 head in encoder self-attention (mean 10 %); 1 of 1 heads in "
                        "cross-attention, C with 90 % (mean 90 %)"));
}

TEST_CASE("heads without the statistic are counted apart") {
  CHECK(discussion_says(tell_carry_discussion(discussion_sources(
                            {{"D", "decoder-self", "", 5}, {"C", "decoder-cross", "0.9", 5}})),
                        "1 of 2 heads can look there. The other 1 cannot"));
}

TEST_CASE("the leading digit is told apart, and makes no head one that looks for carries") {
  const std::string text = tell_carry_discussion(discussion_sources(
      {{"A", "decoder-cross", "0.9", 20, "0.1"}, {"B", "decoder-cross", "0.1", 4, "0.8"}}));
  CHECK(discussion_says(text, "1 of 2 heads in cross-attention, A with 90 %"));
  CHECK(discussion_says(text,
                        "When it is written, 1 head gives that column more weight than even "
                        "attention would: B with 80 % (4 points by zero ablation)."));
  CHECK(discussion_says(
      tell_carry_discussion(discussion_sources({{"A", "decoder-cross", "0.9", 20, "0.1"}})),
      "When it is written, no head gives that column more weight"));
}

TEST_CASE("a table that counts the leading digit with the others is said to do so") {
  const std::vector<DiscussedHead> heads = {{"C", "decoder-cross", "0.9", 5}};
  CHECK(discussion_says(
      tell_carry_discussion(discussion_with("label,module,layer,carry\nC,decoder-cross,0,0.9\n",
                                            {discussed_way("zero", heads)})),
      "In this table the leading digit of the sum is counted with the others"));
}

TEST_CASE("a head that looks nowhere else is told with what it costs by every way") {
  const std::vector<DiscussedHead> zero = {{"E", "encoder", "0.1", 60},
                                           {"C", "decoder-cross", "0.99", 41}};
  const std::vector<DiscussedHead> mean = {{"E", "encoder", "0.1", 0},
                                           {"C", "decoder-cross", "0.99", 44}};
  const Sources sources = discussion_with(
      discussed_looks(zero), {discussed_way("zero", zero), discussed_way("mean", mean)});
  const std::string text = tell_carry_discussion(sources);
  CHECK(discussion_says(text,
                        "C gives the column to the right 99 % of its weight, and its removal costs "
                        "44 points by mean and 41 points by zero ablation: critical by both. No "
                        "other head gives it more weight than even attention would."));
  CHECK(discussion_says(text,
                        "The only head that is critical by mean ablation is turned to that "
                        "column. Critical by zero ablation, but not by mean ablation: E (0 points "
                        "by mean and 60 points by zero ablation)."));
  CHECK(discussion_says(text,
                        "100 % is at heads that are turned to that column (by zero ablation "
                        "40.6 %)"));
  CHECK(carry_discussion_headline(sources) ==
        "C gives 99 % of its weight to the column to the right, where the carry comes from, and "
        "its removal costs 44 points by mean and 41 points by zero ablation. Most is lost by mean "
        "ablation without it; by zero ablation without E (0 points by mean and 60 points by zero "
        "ablation), which is not turned there.");
}

TEST_CASE("ways that judge a head differently are both told") {
  const std::vector<DiscussedHead> zero = {{"C", "decoder-cross", "0.99", 41}};
  const std::vector<DiscussedHead> mean = {{"C", "decoder-cross", "0.99", 0}};
  CHECK(discussion_says(
      tell_carry_discussion(discussion_with(
          discussed_looks(zero), {discussed_way("zero", zero), discussed_way("mean", mean)})),
      "redundant by mean ablation and critical by zero ablation."));
}

TEST_CASE("of several heads that look there most, the one that costs most is told first") {
  CHECK(
      discussion_says(carry_discussion_headline(discussion_sources(
                          {{"A", "decoder-cross", "0.99", 0}, {"B", "decoder-cross", "0.8", 30}})),
                      "B gives 80 % of its weight"));
}

TEST_CASE("a relation is claimed only where chance alone seldom brings it") {
  std::vector<DiscussedHead> heads = {{"A", "encoder", "0.1", 1},  {"B", "encoder", "0.2", 3},
                                      {"C", "encoder", "0.3", 2},  {"D", "encoder", "0.4", 5},
                                      {"E", "encoder", "0.5", 8},  {"F", "encoder", "0.6", 13},
                                      {"G", "encoder", "0.7", 21}, {"H", "encoder", "0.8", 34}};
  const std::string text = tell_carry_discussion(discussion_sources(heads));
  CHECK(discussion_says(text,
                        "For the column to the right, 2 of 2 correlations have a p below 0.05: "
                        "positive over the heads of both attentions (zero ablation)"));
  CHECK(discussion_says(text, "2 correlations are looked at together"));
  CHECK(discussion_says(text, "there are some below 0.025"));
  for (DiscussedHead& head : heads) head.drop = 40 - head.drop;
  CHECK(discussion_says(tell_carry_discussion(discussion_sources(heads)),
                        "negative over the heads of encoder self-attention"));
  heads[0].drop = 3, heads[1].drop = 39, heads[2].drop = 1, heads[5].drop = 38;
  CHECK(discussion_says(tell_carry_discussion(discussion_sources(heads)),
                        "weight and loss cannot be shown to go together"));
}

TEST_CASE("rows over both attentions compare weights with what even attention would give") {
  // Of five tokens the encoder's own column is one, that of cross-attention two: in shares E < C,
  // in even shares both are twice.
  Sources sources = discussion_with(
      "label,module,layer,column\nE,encoder,0,0.4\nC,decoder-cross,0,0.8\n"
      "F,encoder,0,0.2\nD,decoder-cross,0,0.4\n",
      {discussed_way("zero", {{"E", "encoder", "", 9},
                              {"C", "decoder-cross", "", 9},
                              {"F", "encoder", "", 3},
                              {"D", "decoder-cross", "", 3}})});
  const std::string text = tell_carry_discussion(sources);
  CHECK(discussion_says(text, "| 1.00 |"));
  CHECK(discussion_says(text, "| 4 | both attentions | their own column | zero ablation |"));
  CHECK(discussion_says(text, "Rows of both attentions mix heads of the encoder with heads of"));
}

TEST_CASE("few heads allow no judgement of a relation, and make no row") {
  const std::string text = tell_carry_discussion(
      discussion_sources({{"E", "encoder", "0.1", 5}, {"C", "decoder-cross", "0.9", 5}}));
  CHECK(discussion_says(text, "no relation can be judged"));
  CHECK_FALSE(discussion_says(text, "|"));
  CHECK_FALSE(discussion_says(text, "Rows of both attentions"));
}

TEST_CASE("heads that look there are told by class, and critical ones that do not by name") {
  const std::string text =
      tell_carry_discussion(discussion_sources({{"E", "encoder", "0.1", 60},
                                                {"C", "decoder-cross", "0.9", 20},
                                                {"B", "decoder-cross", "0.8", 0}}));
  CHECK(discussion_says(text, "C gives the column to the right 90 % of its weight"));
  CHECK(discussion_says(text,
                        "Besides, B gives it more weight than even attention would (0 points by "
                        "zero ablation): redundant by zero ablation."));
  CHECK(discussion_says(text,
                        "Of the 2 heads that are critical by zero ablation, 1 is not turned to "
                        "that column: E (60 points"));
  CHECK(discussion_says(text,
                        "25 % is at heads that are turned to that column; the largest part, "
                        "75 %, is in layer 0 of encoder self-attention"));
  CHECK(discussion_says(text, "1 costs more than a point by zero ablation (C)"));
  CHECK(discussion_says(text, "As at least half of the loss is at other heads"));
}

TEST_CASE("several heads that look there are told by class") {
  const std::string text =
      tell_carry_discussion(discussion_sources({{"A", "encoder", "0.45", 60},
                                                {"B", "decoder-cross", "0.44", 5},
                                                {"C", "decoder-cross", "0.43", 0}}));
  CHECK(discussion_says(text, "No head gives the column to the right more than half"));
  CHECK(discussion_says(text,
                        "Of the 3 heads that give it more weight than even attention would, by "
                        "zero ablation 1 is critical: A (60 points by zero ablation); 1 is "
                        "important: B (5 points by zero ablation); 1 is redundant: C"));
}

TEST_CASE("where the loss is at heads that look there, it is said so") {
  const std::string text = tell_carry_discussion(
      discussion_sources({{"E", "encoder", "0.1", 2}, {"C", "decoder-cross", "0.9", 20}}));
  CHECK(discussion_says(text, "The only head that is critical by zero ablation is turned to"));
  CHECK(discussion_says(text, "As most of the loss is at such heads"));
}

TEST_CASE("heads that look there but cost nothing are not said to be needed") {
  const std::string text = tell_carry_discussion(
      discussion_sources({{"E", "encoder", "0.1", 0}, {"C", "decoder-cross", "0.9", 0}}));
  CHECK(discussion_says(text, "No head is critical by zero ablation."));
  CHECK(discussion_says(text, "no removal costs anything"));
  CHECK(discussion_says(text, "is needed by itself"));
  CHECK_FALSE(discussion_says(text, "As most of the loss"));
  CHECK_FALSE(discussion_says(text, "depend on the carry. It does most"));
}

TEST_CASE("where no head gives the carry half of its weight, the headline counts heads") {
  CHECK(discussion_says(
      carry_discussion_headline(
          discussion_sources({{"E", "encoder", "0.1", 2}, {"C", "decoder-cross", "0.45", 20}})),
      "Of 2 heads that can look at the column to the right, where the carry comes from, 1 does so "
      "more than evenly (0 in the encoder, 1 in cross-attention)"));
  CHECK(discussion_says(carry_discussion_headline(discussion_sources({{"E", "encoder", "0.1", 2}})),
                        "None of 1 head that can look at the column to the right"));
}

TEST_CASE("numbers of one digit have a leading digit and no column to the right") {
  Sources sources;
  const std::vector<DiscussedHead> heads = {{"C", "decoder-cross", "", 20, "0.9"}};
  sources.add("heads", {discussed_way("zero", heads)});
  sources.add("statistics", {{"", "attention.table", "heads.csv", discussed_looks(heads)}});
  sources.add("data", {{"", "data.metrics", "metrics.json", R"({"digits": 1})"}});
  const std::string text = tell_carry_discussion(sources);
  CHECK(discussion_says(text, "Numbers of one digit have no such column."));
  CHECK(discussion_says(text, "C with 90 % (20 points by zero ablation)"));
}

TEST_CASE("tables without a common head are an error that names them") {
  const Sources sources = discussion_sources({{"E", "encoder", "0.1", 5}});
  Sources other;
  other.add("heads", sources.files("heads"));
  other.add("data", sources.files("data"));
  other.add("statistics",
            {{"", "attention.table", "heads.csv", "label,module,layer,carry\nX,encoder,0,0.5\n"}});
  try {
    tell_carry_discussion(other);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) ==
          "attention.table and ablate@zero.table have no head in common");
  }
}

}  // namespace
}  // namespace headway
