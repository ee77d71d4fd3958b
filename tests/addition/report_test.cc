// The sentences of pipelines/reports/addition.md for artifacts that differ from the approved ones
// (tests/report/approved_test.cc): a sentence must hold for any result of a run.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <regex>

#include "tests/support/study_report.h"

namespace headway::testing {
namespace {

std::string page_of(const StudyInputs& inputs) {
  return study_report("addition", inputs).markdown;
}

StudyInputs addition_inputs() {
  return study_inputs("addition");
}

// The approved artifacts with the bytes of one of them replaced.
StudyInputs inputs_with(const std::string& name, const std::string& bytes) {
  StudyInputs inputs = addition_inputs();
  inputs.at(name).front().bytes = bytes;
  return inputs;
}

bool says(const std::string& page, const std::string& part) {
  UNSCOPED_INFO(page);
  return page.find(part) != std::string::npos;
}

// ---- learning

std::string page_of_log(const std::string& rows) {
  return page_of(inputs_with(
      "log",
      "epoch,train_loss,val_loss,token_accuracy,teacher_forced,greedy,learning_rate\n" + rows));
}

TEST_CASE("addition report: the epochs that first reached 50, 90 and 99 %") {
  CHECK(
      says(page_of_log("1,2,2,0.5,0.1,0.1,0.1\n2,1,1,0.9,0.95,0.95,0.1\n3,1,1,1,0.992,0.992,0.1\n"),
           "first reached 50 % in epoch 2, 90 % in epoch 2 and 99 % in epoch 3."));
  CHECK(says(page_of_log("1,2,2,0.5,0.6,0.6,0.1\n2,1,1,0.9,0.95,0.95,0.1\n"),
             "first reached 50 % in epoch 1 and 90 % in epoch 2, but never 99 %."));
  CHECK(says(page_of_log("1,2,2,0.5,0.6,0.6,0.1\n"),
             "first reached 50 % in epoch 1, but never 90 %."));
  CHECK(
      says(page_of_log("1,2,2,0.5,0,0,0.1\n2,2,2,0.5,0,0,0.1\n"), "problems never reached 50 %."));
}

TEST_CASE("addition report: the last epoch below the best is named if there is one") {
  CHECK(says(page_of_log("1,2,2,0.5,0.5,0.5,0.1\n2,1,1,0.9,0.9,0.9,0.1\n3,1,1,0.9,0.6,0.6,0.1\n"),
             "The last epoch more than 1 point below the best is epoch 3 of 3."));
  CHECK_FALSE(says(page_of_log("1,2,2,0.5,0.9,0.9,0.1\n2,1,1,0.9,0.91,0.91,0.1\n"),
                   "more than 1 point below the best"));
}

TEST_CASE("addition report: epochs that were not measured are left out") {
  CHECK(says(page_of_log("1,2,2,0.5,0.6,0.6,0.1\n2,2,,,,,0.1\n3,1,1,0.9,0.9,0.9,0.1\n"),
             "first reached 50 % in epoch 1 and 90 % in epoch 3, but never 99 %."));
}

// ---- exact match

std::string evaluation(const std::string& exact, int problems, int failures, int differently = 0) {
  return fmt::format(
      R"({{"greedy":{0},"greedy_low":0.9,"greedy_high":0.99,"teacher_forced":{0},"token_accuracy":0.97,)"
      R"("problems":{1},"failures":{2},"decoded":{3},"decoded_differently":{4}}})",
      exact, problems, failures, failures + 256, differently);
}

TEST_CASE("addition report: exact match is one number, and decoding was checked") {
  const std::string page = page_of(inputs_with("everything", evaluation("0.95", 8100, 405)));
  CHECK(says(page, "This report shows the number once"));
  CHECK(says(page,
             "661 problems were really decoded, all wrongly answered ones among them: decoding and "
             "teacher forcing always agreed."));
  CHECK(says(page_of(inputs_with("everything", evaluation("0.95", 8100, 405, 2))),
             "decoding and teacher forcing disagreed on 2, which rounding can explain."));
}

TEST_CASE("addition report: a sample has an interval, the set of all problems has none") {
  const std::string census = page_of(inputs_with("everything", evaluation("0.95", 8100, 405)));
  CHECK(
      says(census,
           "Of all 8,100 problems, it answers 95 % correctly, all but 405. These are all problems "
           "there are"));
  CHECK(says(census, "2,000 of them (24.7 %) are training problems."));
  const std::string sample = page_of(inputs_with("everything", evaluation("0.95", 8000, 400)));
  CHECK(says(sample,
             "Of 8,000 problems, it answers 95 % (95 % interval 90 to 99 %) correctly, all but "
             "400.\n"));
  CHECK_FALSE(says(sample, "are training problems"));
  CHECK_FALSE(says(sample, "These are all problems there are"));
}

TEST_CASE("addition report: the share of problems trained on needs distinct problems") {
  StudyInputs inputs = addition_inputs();
  inputs.at("data").front().bytes =
      R"({"digits":2,"train":6000,"val":200,"test":300,"overlap":0,"repeated":12})";
  CHECK_FALSE(says(page_of(inputs), "of them are training problems"));
}

TEST_CASE("addition report: the share of all problems lies inside or outside the test's interval") {
  const auto against = [](const std::string& share) {
    StudyInputs inputs = inputs_with("everything", evaluation(share, 8100, 405));
    inputs.at("test").front().bytes = evaluation("0.95", 100, 5);
    return page_of(inputs);
  };
  CHECK(says(against("0.96"), "The share of all problems lies inside the interval"));
  CHECK(says(against("0.5"), "The share of all problems lies outside the interval"));
}

TEST_CASE("addition report: unconnected inputs are not mentioned") {
  StudyInputs inputs = addition_inputs();
  for (const char* name : {"test", "timing", "speed", "failures"}) inputs.erase(name);
  const std::string page = page_of(inputs);
  CHECK_FALSE(says(page, "300 test problems, the model answers"));
  CHECK_FALSE(says(page, "the interval of the test problems"));
  CHECK_FALSE(says(page, "Training took"));
  CHECK_FALSE(says(page, "Problems scored per second"));
  CHECK_FALSE(says(page, "answers are wrong"));
}

TEST_CASE("addition report: problems in different notations are distinguished") {
  StudyInputs inputs = addition_inputs();
  inputs["elsewhere"] = {
      {"", "evaluate-elsewhere.metrics", "metrics.json", evaluation("0.95", 40, 2)}};
  CHECK(
      says(page_of(inputs),
           "Of 40 problems generated by another script, it answers 95 % (95 % interval 90 to 99 %) "
           "correctly."));
}

// ---- which sums are hard

std::string page_of_groups(const std::string& rows) {
  return page_of(
      inputs_with("accuracy", "group,value,count,greedy,low,high,teacher_forced\n" + rows));
}

TEST_CASE("addition report: tied groups are all named") {
  const std::string page = page_of_groups(
      "all,,100,0.8,0.7,0.9,0.8\nlongest_chain,0,40,0.7,0.6,0.8,0.7\n"
      "longest_chain,1,40,0.9,0.85,0.95,0.9\nlongest_chain,2,20,0.7,0.6,0.8,0.7\n"
      "longest_chain,3,0,0,0,1,0\n");
  CHECK(says(page,
             "By longest carry chain, exact match is lowest for 0 and 2 (70 %) and highest "
             "for 1 (90 %)"));
}

TEST_CASE("addition report: equal groups are called equal, and a single group is not compared") {
  const std::string page = page_of_groups(
      "all,,100,1,0.9,1,1\nlongest_chain,0,40,1,0.9,1,1\nlongest_chain,1,60,1,0.9,1,1\n"
      "carries,1,60,1,0.9,1,1\ncarry_into_1,no,60,1,0.9,1,1\ncarry_into_1,yes,40,1,0.9,1,1\n"
      "role,s1,60,1,0.9,1,1\nrole,s0,60,0.9,0.8,1,1\n");
  CHECK(says(page, "By longest carry chain, exact match is 100 % in every group."));
  CHECK_FALSE(says(page, "By number of carries, exact match"));
  CHECK(says(page,
             "By digit of the sum (s0 is the rightmost), the share of correct digits is lowest for "
             "s0 (90 %) and highest for s1 (100 %)"));
  CHECK_FALSE(says(page, "carry\\_into"));
}

TEST_CASE("addition report: whether a sample's intervals overlap") {
  const auto page = [](const std::string& high) {
    StudyInputs inputs = inputs_with("everything", evaluation("0.8", 100, 20));
    inputs.at("accuracy").front().bytes =
        "group,value,count,greedy,low,high,teacher_forced\nall,,100,0.8,0.7,0.9,0.8\n"
        "leading_digit,0,50,0.7,0.6," +
        high + ",0.7\nleading_digit,1,50,0.9,0.85,0.95,0.9\n";
    return page_of(inputs);
  };
  CHECK(says(page("0.8"), "highest for 1 (90 %); their 95 % intervals do not overlap."));
  CHECK(says(page("0.86"), "highest for 1 (90 %); their 95 % intervals overlap."));
}

TEST_CASE("addition report: wrong sums explained by a lost or an added carry are counted") {
  StudyInputs inputs = inputs_with("failures",
                                   "74+84 -> 158, predicted 058\n99+01 -> 100, predicted 110\n"
                                   "11+11 -> 022, predicted 033\n55+55 -> 110, predicted 100\n");
  inputs.at("everything").front().bytes = evaluation("0.99", 8100, 4);
  const std::string page = page_of(inputs);
  CHECK(says(page, "4 answers are wrong: "));
  CHECK(says(page,
             "2 are too small by 10, 100 or another such power, as if a carry were lost; 1 is "
             "too large by one, as if a carry were added. 1 has a wrong leading digit."));
}

TEST_CASE("addition report: without wrong answers none are shown") {
  StudyInputs inputs = inputs_with("failures", "");
  inputs.at("everything").front().bytes = evaluation("1", 8100, 0);
  const std::string page = page_of(inputs);
  CHECK(says(page, "No answer is wrong."));
  CHECK(says(page, "The model answers 100 % of all 8,100 problems correctly"));
  CHECK_FALSE(says(page, "all but"));
  CHECK(says(page, "256 problems were really decoded, all of them answered correctly:"));
}

// ---- heads

struct Head {
  std::string label;
  std::string module;
  std::string carry;  // weight; "" if there is none
  double zero = 0;    // drops
  double mean = 0;
  double width = 0;  // of the drops' intervals, to either side
};

std::string drops_of(const std::vector<Head>& heads, double Head::*drop) {
  std::string table =
      "rank,unit,label,kind,module,layer,index,class,drop,low,high,greedy,teacher_forced,"
      "token_accuracy,token_drop\n";
  for (const Head& head : heads) {
    const double lost = head.*drop;
    table += fmt::format("1,{0},{0},head,{1},0,0,{2},{3},{4},{5},{6},0.5,0.5,1\n", head.label,
                         head.module,
                         lost > 10  ? "critical"
                         : lost > 1 ? "important"
                                    : "redundant",
                         lost, lost - head.width, lost + head.width, 0.99 - lost / 100);
  }
  return table;
}

std::string weights_of(const std::vector<Head>& heads) {
  std::string table =
      "head,label,module,layer,index,diagonal,operator,carry,column,previous,entropy,sparsity,"
      "carry_with,carry_without,leading\n";
  for (const Head& head : heads) {
    table += fmt::format("{0},{0},{1},0,0,,,{2},{2},,0.5,0.5,{2},{2},\n", head.label, head.module,
                         head.carry);
  }
  return table;
}

StudyInputs inputs_of_heads(const std::vector<Head>& heads) {
  StudyInputs inputs = inputs_with("attention", weights_of(heads));
  inputs["ablation"] = {
      {"zero", "ablate@zero.table", "components.csv", drops_of(heads, &Head::zero)},
      {"mean", "ablate@mean.table", "components.csv", drops_of(heads, &Head::mean)}};
  return inputs;
}

std::string page_of_heads(const std::vector<Head>& heads) {
  return page_of(inputs_of_heads(heads));
}

TEST_CASE("addition report: no head is critical, and no removal costs anything") {
  const std::string page =
      page_of_heads({{"E", "encoder", "0.1", 0, 0}, {"C", "decoder-cross", "0.2", -1, 0}});
  CHECK(says(page, "By zero ablation, no head is critical; no removal lowers exact match."));
  CHECK(says(page,
             "**By mean ablation**, 0 heads are critical, 0 important and 2 redundant. No "
             "removal lowers exact match."));
  CHECK(says(page, "By zero ablation, no head is critical. No removal lowers exact match."));
  CHECK(says(page,
             "Even attention would give 40 % of a head's weight to the column to the right, "
             "where a carry comes from. No head gives it more."));
  CHECK(says(page,
             "Even attention over the 5 input tokens would give that column 40 %. No head "
             "gives it more."));
}

TEST_CASE("addition report: the largest drop, and the heads whose intervals overlap with it") {
  const std::string alone =
      page_of_heads({{"A", "encoder", "0.1", 50, 50, 3}, {"B", "encoder", "0.1", 40, 40, 3}});
  CHECK(says(alone,
             "The largest drop is that of A: 50 points (95 % interval 47 to 53), from 99 % to "
             "49 %."));
  CHECK_FALSE(says(alone, "overlaps with this one"));
  CHECK(
      says(page_of_heads({{"A", "encoder", "0.1", 50, 50, 3}, {"B", "encoder", "0.1", 45, 40, 3}}),
           "The interval of B overlaps with this one."));
  CHECK(says(page_of_heads({{"A", "encoder", "0.1", 50, 50, 3},
                            {"B", "encoder", "0.1", 50, 40, 3},
                            {"C", "encoder", "0.1", 49, 40, 3}}),
             "The intervals of B and C overlap with this one."));
}

TEST_CASE("addition report: intervals that reach into another class are named") {
  CHECK(
      says(page_of_heads({{"A", "encoder", "0.1", 12, 50, 3}, {"B", "encoder", "0.1", 5, 0, 0.5}}),
           "The interval of A reaches into another class."));
  CHECK_FALSE(says(page_of_heads({{"A", "encoder", "0.1", 20, 50, 3}}), "into another class"));
}

TEST_CASE("addition report: the two ways of ablation are compared by class and rank") {
  const std::string same = page_of_heads({{"A", "encoder", "0.1", 30, 20, 0},
                                          {"B", "encoder", "0.1", 20, 15, 0},
                                          {"C", "encoder", "0.1", 0, 0, 0}});
  CHECK(says(same, "The rank correlation of drops by zero and by mean ablation is 1 over 3 heads"));
  CHECK(says(same, "Every head has the same class by zero and by mean ablation."));
  const std::string apart =
      page_of_heads({{"A", "encoder", "0.1", 30, 0, 0.5}, {"B", "encoder", "0.1", 20, 15, 0}});
  CHECK(says(apart, "1 head has different classes by zero and by mean ablation: A."));
  CHECK(says(apart,
             "A: zero ablation costs more than 1 point and mean ablation at most 1, intervals "
             "included. To within a point, the model needs no more than a constant per "
             "position from this head, unless another head stands in for it."));
  CHECK_FALSE(says(apart, "The rank correlation of drops"));  // there is none for two heads
}

TEST_CASE("addition report: a single way of ablation is not compared") {
  StudyInputs inputs = inputs_of_heads({{"A", "encoder", "0.1", 30, 20, 0}});
  inputs.at("ablation").pop_back();
  const std::string page = page_of(inputs);
  CHECK(says(page, "By zero ablation, 1 of 1 head is critical"));
  CHECK_FALSE(says(page, "by mean ablation"));
  CHECK_FALSE(says(page, "By mean ablation"));
}

// ---- how heads carry the carry

TEST_CASE("addition report: heads that give the column to the right more than uniform weight") {
  const std::string page = page_of_heads({{"E", "encoder", "0.1", 60, 0},
                                          {"C", "decoder-cross", "0.99", 41, 44},
                                          {"D", "decoder-self", "", 0, 0}});
  CHECK(says(page,
             "1 head gives it more: C (99 %). Its removal costs 41 points by zero ablation and "
             "44 points by mean ablation."));
  CHECK(says(page, "2 of 3 heads can look there; decoder self-attention sees only"));
  CHECK(says(page,
             "By zero ablation, 1 of the 2 critical heads gives the column to the right more "
             "than even weight. Of the drops of single heads, added up, "
             "40.6 % falls on heads that look there more than evenly."));
  CHECK(says(page,
             "By mean ablation, the only critical head, C, gives the column to the right more "
             "than even weight. Of the drops of single heads, added up, 100 % falls"));
}

TEST_CASE("addition report: critical heads that look elsewhere") {
  CHECK(says(
      page_of_heads({{"A", "encoder", "0.1", 60, 60}}),
      "By zero ablation, the only critical head, A, does not give the column to the right more "
      "than even weight. Of the drops of single heads, added up, 0 % falls"));
  CHECK(
      says(page_of_heads({{"A", "encoder", "0.1", 60, 60}, {"B", "encoder", "0.2", 50, 50}}),
           "By zero ablation, none of the 2 critical heads gives the column to the right more than "
           "even weight."));
}

TEST_CASE("addition report: gains from removal do not count in the shares of the drops") {
  CHECK(says(page_of_heads({{"A", "encoder", "0.9", 30, 30}, {"B", "encoder", "0.1", -10, -10}}),
             "added up, 100 % falls on heads"));
}

TEST_CASE("addition report: a correlation is reported with its p-value, if it has one") {
  std::vector<Head> heads;
  for (int i = 0; i < 8; ++i)
    heads.push_back({fmt::format("H{}", i), "encoder", fmt::format("0.{}", i + 1), 3.0 * i, 5});
  const std::string page = page_of_heads(heads);
  CHECK(says(page, "encoder, zero ablation: 1 over 8 heads (p \\< 0.001)"));
  CHECK(says(page, "encoder, mean ablation: not defined for 8 heads"));
  CHECK_FALSE(says(page_of_heads({heads[0], heads[1]}), "Do heads that look there matter more?"));
}

TEST_CASE("addition report: weights that hardly depend on the carry are reported as such") {
  const std::string row = "A,A,encoder,0,0,,,0.5,0.5,,0.5,0.5,";
  const auto page = [&](const std::string& with_and_without) {
    StudyInputs inputs = inputs_of_heads({{"A", "encoder", "0.5", 60, 60}});
    std::string& table = inputs.at("attention").front().bytes;
    table = table.substr(0, table.find('\n') + 1) + row + with_and_without + ",\n";
    return page_of(inputs);
  };
  CHECK(says(page("0.52,0.48"), "No head's weight on that column differs by 5 points or more"));
  CHECK(
      says(page("0.4,0.6"),
           "The weight on that column depends most on whether the column carries in A: 40 % where "
           "it carries, 60 % where it does not."));
}

TEST_CASE("addition report: one-digit numbers have no column to the right") {
  StudyInputs inputs =
      inputs_of_heads({{"E", "encoder", "", 60, 0}, {"C", "decoder-cross", "", 41, 44}});
  inputs.at("data").front().bytes =
      R"({"digits":1,"train":40,"val":10,"test":10,"overlap":0,"repeated":0})";
  const std::string page = page_of(inputs);
  CHECK(says(page, "Numbers of one digit have no column to the right."));
  CHECK_FALSE(says(page, "Even attention"));
}

TEST_CASE("addition report: no sentence says none of one") {
  const std::regex none_of_one("[Nn]one of (the )?1 |\\b0 of (the )?1 |only 0 ");
  for (const char* carry : {"", "0.1", "0.9"}) {
    for (const double drop : {-5.0, 0.0, 5.0, 50.0}) {
      const std::string page = page_of_heads({{"A", "decoder-cross", carry, drop, 0, 1}});
      INFO(page);
      CHECK_FALSE(std::regex_search(page, none_of_one));
    }
  }
}

// ---- pruning

std::string page_of_pruning(const std::string& tolerances, const std::string& curves,
                            const std::string& pruned) {
  StudyInputs inputs =
      inputs_with("tolerances", "tolerance,individually,together,accuracy,units\n" + tolerances);
  inputs.at("removal").front().bytes = "strategy,removed,accuracy,low,high,unit\n" + curves;
  inputs.at("pruned").front().bytes =
      R"({"components":4,"greedy":1,"parameters":1000,"pruned":)" + pruned + "}";
  return page_of(inputs);
}

constexpr const char* kFourHeads =
    "greedy,0,1,0.99,1,\ngreedy,1,1,0.99,1,A\ngreedy,2,0.995,0.985,0.998,B\n"
    "greedy,3,0.4,0.37,0.43,C\ngreedy,4,0,0,0.01,D\n";
constexpr const char* kTwoCut = R"({"greedy":0.995,"removed":2,"parameters":900,"fine_tuned":1})";

TEST_CASE("addition report: heads that can be removed individually and together") {
  CHECK(says(page_of_pruning("1,3,2,0.995,A; B\n", kFourHeads, kTwoCut),
             "For a drop of at most 1 point by zero ablation, 3 of 4 heads can be removed one at a "
             "time and 2 together. Without the latter, exact match is 99.5 % (95 % interval 98.5 "
             "to 99.8 %)."));
  CHECK(says(
      page_of_pruning("1,0,0,1,\n", kFourHeads, R"({"greedy":1,"removed":0,"parameters":1000})"),
      "0 of 4 heads can be removed one at a time and 0 together.\n"));
}

TEST_CASE("addition report: a difference between greedy and one-shot order is reported") {
  const auto page = [](const std::string& one_shot) {
    return page_of_pruning("1,3,2,0.995,A; B\n", kFourHeads + one_shot, kTwoCut);
  };
  CHECK(
      says(page("one-shot,2,0.995,0.985,0.998,B\none-shot,3,0.3,0.27,0.33,A\n"),
           "Greedy and one-shot order differ most with 3 heads removed: 40 % and 30 % exact match, "
           "with 95 % intervals that do not overlap."));
  CHECK(says(page("one-shot,3,0.38,0.35,0.41,A\n"), "with 95 % intervals that overlap."));
  CHECK(says(page("one-shot,0,1,0.99,1,\none-shot,1,1,0.99,1,A\n"),
             "Greedy and one-shot order keep the same exact match at every number of heads."));
  CHECK_FALSE(says(page(""), "one-shot order differ"));
}

TEST_CASE("addition report: random orders are compared at the number of removed heads") {
  CHECK(says(page_of_pruning("1,3,2,0.995,A; B\n",
                             std::string(kFourHeads) + "random,2,0.5,0.1,0.7,\n", kTwoCut),
             "With 2 heads removed, random orders keep 50 % exact match on average (10 % to 70 %), "
             "the greedy order 99.5 %."));
}

TEST_CASE("addition report: where exact match falls below half") {
  CHECK(says(page_of_pruning("1,3,2,0.995,A; B\n", kFourHeads, kTwoCut),
             "first falls below half of the whole model's with 3 heads removed, to 40 %."));
  CHECK_FALSE(says(page_of_pruning("1,1,1,1,A\n", "greedy,0,1,0.99,1,\ngreedy,1,0.5,0.4,0.6,A\n",
                                   R"({"greedy":0.5,"removed":1,"parameters":900})"),
                   "falls below half"));
}

TEST_CASE("addition report: the smaller checkpoint, with and without fine-tuning") {
  CHECK(says(
      page_of_pruning("1,3,2,0.995,A; B\n", kFourHeads, kTwoCut),
      "The smaller checkpoint lacks 2 heads and has 900 instead of 1,000 parameters (10 % "
      "fewer). It answers 99.5 % of the test problems correctly, after fine-tuning 100 % (95 % "
      "interval 98.7 to 100 %); the whole model answers 100 %."));
  CHECK(says(
      page_of_pruning("1,1,1,1,A\n", kFourHeads,
                      R"({"greedy":0.995,"removed":1,"parameters":900})"),
      "lacks 1 head and has 900 instead of 1,000 parameters (10 % fewer). It answers 99.5 % of "
      "the test problems correctly; the whole model answers 100 %."));
  CHECK(says(
      page_of_pruning("1,0,0,1,\n", kFourHeads, R"({"greedy":1,"removed":0,"parameters":1000})"),
      "No head is cut out of the smaller checkpoint"));
}

}  // namespace
}  // namespace headway::testing
