#include "lib/report/findings/ablation.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "lib/report/findings/head_tables.h"

namespace headway {
namespace {

bool ablation_says(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

SourceFile ablation_file(const std::string& way, const std::string& rows) {
  return {way, "ablate@" + way + ".table", "heads.csv",
          "label,module,layer,class,drop,low,high,greedy\n" + rows};
}

std::string tell_one_ablation(const std::string& rows) {
  Sources sources;
  sources.add("heads", {ablation_file("zero", rows)});
  return tell_ablation(sources);
}

TEST_CASE("an ablation counts its classes and names the heads that are critical") {
  const std::string text = tell_one_ablation(
      "Encoder L0 H0,encoder,0,critical,40,35,45,0.5\n"
      "Encoder L0 H1,encoder,0,important,5,4,6,0.85\n"
      "Decoder Self L0 H0,decoder-self,0,redundant,0,-0.1,0.1,0.9\n");
  CHECK(ablation_says(text,
                      "Zero ablation: 1 of 3 heads is critical (more than 10 points) – Encoder "
                      "L0 H0 –, 1 important, 1 redundant"));
  CHECK(ablation_says(text,
                      "Encoder L0 H0: 40 points (95 % interval 35 to 45); exact match falls "
                      "from 90 % to 50 %. No other head's interval reaches that far."));
  CHECK(ablation_says(text,
                      "100 % in layer 0 of encoder self-attention. No head of layer 0 of "
                      "decoder self-attention costs more than 1 point."));
  CHECK(ablation_says(text, "No head's interval reaches into another class."));
}

TEST_CASE("a most critical head whose interval overlaps another's is not called certain") {
  CHECK(ablation_says(tell_one_ablation("A,encoder,0,critical,40,35,45,0.5\n"
                                        "B,encoder,0,critical,38,33,43,0.52\n"),
                      "It cannot be told from B, whose interval overlaps its own."));
}

TEST_CASE("a class that its interval does not settle is told") {
  CHECK(ablation_says(tell_one_ablation("A,encoder,0,critical,10.5,9,12,0.8\n"
                                        "B,encoder,0,redundant,0,-0.1,0.1,0.9\n"),
                      "The class of 1 head is not settled by its interval: A (10.5 points, 95 % "
                      "interval 9 to 12)."));
}

TEST_CASE("without any loss nothing is called critical") {
  const std::string text = tell_one_ablation(
      "A,encoder,0,redundant,0,-0.1,0.1,0.02\nB,decoder-self,0,redundant,-0.5,-1,0,0.025\n");
  CHECK(ablation_says(text, "0 of 2 heads are critical (more than 10 points), 0 important"));
  CHECK(ablation_says(text,
                      "The whole model is right in only 2 %, so that no head can be critical."));
  CHECK(ablation_says(text, "No head's removal lowers exact match"));
  CHECK_FALSE(ablation_says(text, "added up"));
}

TEST_CASE("two ways are compared head by head, in whatever order their tables are") {
  Sources sources;
  sources.add("heads", {ablation_file("zero",
                                      "A,encoder,0,critical,80,75,85,0.2\n"
                                      "B,encoder,0,critical,30,25,35,0.7\n"
                                      "C,encoder,0,redundant,0,-1,1,1\n"),
                        ablation_file("mean",
                                      "B,encoder,0,critical,31,26,36,0.69\n"
                                      "A,encoder,0,redundant,0.5,0,1,0.995\n"
                                      "C,encoder,0,redundant,0,-1,1,1\n")});
  const std::string text = tell_ablation(sources);
  CHECK(ablation_says(text,
                      "rank correlation 0.50 over 3 heads; 1 of 3 heads is in another class: A "
                      "(critical, then redundant)"));
  CHECK(ablation_says(text,
                      "zero ablation costs more than mean ablation for 1 head, and less for 0"));
  CHECK(ablation_says(text,
                      "For A, zero costs more than a point and the mean does not: what the "
                      "model needs of it is, to within a point, a constant"));
}

TEST_CASE("ways that agree are said to agree") {
  const std::string rows =
      "A,encoder,0,critical,80,75,85,0.2\nB,encoder,0,critical,30,25,35,0.7\n"
      "C,encoder,0,redundant,0,-1,1,1\n";
  Sources sources;
  sources.add("heads", {ablation_file("zero", rows), ablation_file("mean", rows)});
  const std::string text = tell_ablation(sources);
  CHECK(ablation_says(text, "rank heads much alike"));
  CHECK(ablation_says(text, "every head is in the same class. No head's drop differs"));
}

TEST_CASE("the name of a way cannot bring markup into a report") {
  Sources sources;
  sources.add("heads", {ablation_file("<script>", "A,encoder,0,redundant,0,-1,1,1\n")});
  CHECK_FALSE(ablation_says(tell_ablation(sources), " <script>"));
  CHECK_FALSE(ablation_says(tell_ablation(sources), "- <script>"));
}

TEST_CASE("a table that is none of heads is named") {
  Sources sources;
  sources.add("heads", {{"", "train.log", "log.csv", "epoch,loss\n1,2\n"}});
  try {
    tell_ablation(sources);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) ==
          "train.log: a table of heads is expected, but there is no column 'label'");
  }
}

TEST_CASE("rank correlations have an interval from five heads on") {
  CHECK(correlation_text(correlate_ranks({1, 2, 3, 4}, {1, 2, 4, 3})) == "0.80 over 4 heads");
  const RankCorrelation six = correlate_ranks({1, 2, 3, 4, 5, 6}, {2, 1, 4, 3, 6, 5});
  CHECK(correlation_text(six) == "0.83 over 6 heads (95 % interval 0.02 to 0.98)");
  CHECK(six.excludes_zero());
  CHECK_FALSE(correlate_ranks({1, 2, 3, 4, 5, 6}, {6, 1, 2, 5, 3, 4}).excludes_zero());
  CHECK(correlation_text(correlate_ranks({1, 1, 1}, {1, 2, 3})) == "undefined over 3 heads");
}

TEST_CASE("the headline of ablation names every way") {
  Sources sources;
  sources.add("heads", {ablation_file("zero", "A,encoder,0,critical,80,75,85,0.2\n"),
                        ablation_file("mean", "A,encoder,0,redundant,0,-1,1,1\n")});
  CHECK(ablation_headline(sources) ==
        "Switched off one at a time, 1 of 1 heads (zero ablation) and 0 of 1 heads (mean ablation) "
        "cost more than 10 points each. Most costs A: 80 points (95 % interval 75 to 85), by zero "
        "ablation.");
}

}  // namespace
}  // namespace headway
