#include "lib/report/findings/carry_discussion.h"

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
};

// One digit: three tokens, so that even attention gives the two digits of a column 2/3.
Sources discussion_sources(const std::vector<DiscussedHead>& heads) {
  std::string ablation = "label,module,layer,class,drop,low,high,greedy\n";
  std::string statistics = "label,module,layer,carry,carry_with,carry_without\n";
  for (const DiscussedHead& head : heads) {
    const std::string start = std::string(head.label) + "," + head.module + ",0,";
    const std::string drop = std::to_string(head.drop);
    ablation += start + (head.drop > 10 ? "critical" : head.drop > 1 ? "important" : "redundant");
    ablation += "," + drop + "," + drop + "," + drop + ",0.1\n";
    statistics += start + head.carry + "," + head.carry + "," + head.carry + "\n";
  }
  Sources sources;
  sources.add("heads", {{"zero", "ablate@zero.table", "heads.csv", ablation}});
  sources.add("statistics", {{"", "attention.table", "heads.csv", statistics}});
  sources.add("data", {{"", "data.metrics", "metrics.json", R"({"digits": 1})"}});
  return sources;
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

TEST_CASE("a relation is claimed only where its interval is without zero") {
  std::vector<DiscussedHead> heads = {{"A", "encoder", "0.1", 1}, {"B", "encoder", "0.2", 3},
                                      {"C", "encoder", "0.3", 2}, {"D", "encoder", "0.4", 5},
                                      {"E", "encoder", "0.5", 8}, {"F", "encoder", "0.6", 13}};
  CHECK(discussion_says(tell_carry_discussion(discussion_sources(heads)),
                        "For the column to the right, 2 of 2 correlations have an interval without "
                        "zero: positive over all heads that can look"));
  CHECK(discussion_says(carry_discussion_headline(discussion_sources(heads)), "costs go together"));
  for (DiscussedHead& head : heads) head.drop = 14 - head.drop;
  CHECK(discussion_says(carry_discussion_headline(discussion_sources(heads)),
                        "go against each other"));
  heads[0].drop = 3, heads[1].drop = 9, heads[2].drop = 1, heads[5].drop = 8;
  CHECK(discussion_says(tell_carry_discussion(discussion_sources(heads)),
                        "cannot be shown to go together"));
}

TEST_CASE("few heads allow no judgement of a relation") {
  CHECK(discussion_says(tell_carry_discussion(discussion_sources(
                            {{"E", "encoder", "0.1", 5}, {"C", "decoder-cross", "0.9", 5}})),
                        "no relation can be judged"));
}

TEST_CASE("heads that look there are told by class, and critical ones that do not by name") {
  const std::string text =
      tell_carry_discussion(discussion_sources({{"E", "encoder", "0.1", 60},
                                                {"C", "decoder-cross", "0.9", 20},
                                                {"B", "decoder-cross", "0.8", 0}}));
  CHECK(discussion_says(text,
                        "by zero ablation 1 is critical: C (20 points by zero ablation); 1 is "
                        "redundant: B"));
  CHECK(discussion_says(text, "1 of 2 critical heads is not turned to that column: E (60 points"));
  CHECK(discussion_says(text,
                        "25 % is at heads that are turned to that column; the largest part, "
                        "75 %, is in layer 0 of encoder self-attention"));
  CHECK(discussion_says(text, "1 costs more than a point (C)"));
  CHECK(discussion_says(text, "As at least half of the loss is at other heads"));
}

TEST_CASE("where the loss is at heads that look there, it is said so") {
  const std::string text = tell_carry_discussion(
      discussion_sources({{"E", "encoder", "0.1", 2}, {"C", "decoder-cross", "0.9", 20}}));
  CHECK(discussion_says(text, "The only critical head is among them."));
  CHECK(discussion_says(text, "As most of the loss is at such heads"));
}

TEST_CASE("heads that look there but cost nothing are not said to be needed") {
  const std::string text = tell_carry_discussion(
      discussion_sources({{"E", "encoder", "0.1", 0}, {"C", "decoder-cross", "0.9", 0}}));
  CHECK(discussion_says(text, "No head is critical by zero ablation."));
  CHECK(discussion_says(text, "No removal costs anything"));
  CHECK(discussion_says(text, "is needed by itself"));
  CHECK_FALSE(discussion_says(text, "As most of the loss"));
  CHECK_FALSE(discussion_says(text, "depend on the carry. It does most"));
}

TEST_CASE("tables without a common head are an error that names them") {
  Sources sources = discussion_sources({{"E", "encoder", "0.1", 5}});
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
