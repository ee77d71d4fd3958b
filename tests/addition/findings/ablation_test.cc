#include "lib/addition/findings/ablation.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/addition/findings/head_tables.h"
#include "lib/base/error.h"

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
                      "from 90 % to 50 %. Every other head costs less (compared as if measured on "
                      "different problems)."));
  CHECK(ablation_says(
      text,
      "- Zero ablation by place: of the losses of single heads, added up, 100 % are in "
      "layer 0 of encoder self-attention; no head of layer 0 of decoder "
      "self-attention costs more than 1 point.\n"));
  CHECK(ablation_says(text, "- Zero ablation: no head's interval reaches into another class.\n"));
}

TEST_CASE("a most critical head is called so only where the difference is beyond chance") {
  CHECK(ablation_says(tell_one_ablation("A,encoder,0,critical,40,35,45,0.5\n"
                                        "B,encoder,0,critical,38,33,43,0.52\n"),
                      "It cannot be told from B (compared as if measured on different problems)."));
  // 6.5 points apart, and 7.1 points wide to either side.
  CHECK(ablation_says(tell_one_ablation("A,encoder,0,critical,40,35,45,0.5\n"
                                        "B,encoder,0,critical,33.5,28.5,38.5,0.565\n"),
                      "It cannot be told from B"));
  // Their intervals overlap, but the difference of 8 points has an interval without zero.
  CHECK(ablation_says(tell_one_ablation("A,encoder,0,critical,40,35,45,0.5\n"
                                        "B,encoder,0,critical,32,27,37,0.58\n"),
                      "Every other head costs less"));
}

TEST_CASE("a class that its interval does not settle is told") {
  CHECK(ablation_says(
      tell_one_ablation("A,encoder,0,critical,10.5,9,12,0.795\n"
                        "B,encoder,0,redundant,0,-0.1,0.1,0.9\n"),
      "- Zero ablation: the class of 1 head is not settled by its interval: A (10.5 points, 95 % "
      "interval 9.0 to 12.0)."));
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
  CHECK(ablation_says(
      text,
      "cannot be shown to rank heads alike: rank correlation 0.50 over 3 heads (p = 1); "
      "1 of 3 heads is in another class: A "
      "(critical, then redundant)"));
  CHECK(ablation_says(text,
                      "- Zero ablation costs more than mean ablation for 1 head, and less for none "
                      "(compared as if measured on different problems, so that all 3 hold together "
                      "with 95 %)."));
  CHECK(ablation_says(
      text,
      "- For A, zero ablation costs more than a point and mean ablation at most one, "
      "intervals included: what the rest of the model needs of it alone is, to within "
      "a point, a constant"));
}

TEST_CASE("ways that agree are said to agree") {
  const std::string rows =
      "A,encoder,0,critical,80,75,85,0.2\nB,encoder,0,critical,30,25,35,0.7\n"
      "C,encoder,0,redundant,0,-1,1,1\nD,encoder,0,important,2,1,3,0.98\n"
      "E,encoder,0,important,3,2,4,0.97\n";
  Sources sources;
  sources.add("heads", {ablation_file("zero", rows), ablation_file("mean", rows)});
  const std::string text = tell_ablation(sources);
  CHECK(ablation_says(
      text,
      "rank heads more alike than chance would: rank correlation 1.00 over 5 heads (p = 0.017)"));
  CHECK(
      ablation_says(text, "every head is in the same class.\n- No head's drop can be told apart"));
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

TEST_CASE("rank correlations are held against chance, however few the heads are") {
  CHECK(correlation_text(correlate_ranks({1, 2, 3, 4}, {1, 2, 4, 3})) ==
        "0.80 over 4 heads (p = 0.33)");
  // A perfect one of three heads is nothing: one order of three is as good.
  CHECK_FALSE(correlate_ranks({1, 2, 3}, {1, 2, 3}).excludes_zero());
  CHECK(correlate_ranks({1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}).excludes_zero());
  const RankCorrelation six = correlate_ranks({1, 2, 3, 4, 5, 6}, {2, 1, 4, 3, 6, 5});
  CHECK(correlation_text(six) == "0.83 over 6 heads (p = 0.058)");
  CHECK_FALSE(six.excludes_zero());
  CHECK_FALSE(correlate_ranks({1, 2, 3, 4, 5, 6}, {6, 1, 2, 5, 3, 4}).excludes_zero());
  CHECK(correlation_text(correlate_ranks({1, 1, 1}, {1, 2, 3})) == "undefined over 3 heads");
}

TEST_CASE("the headline of ablation names every way") {
  Sources sources;
  sources.add("heads", {ablation_file("zero", "A,encoder,0,critical,80,75,85,0.2\n"),
                        ablation_file("mean", "A,encoder,0,redundant,0,-1,1,1\n")});
  CHECK(
      ablation_headline(sources) ==
      "Switched off one at a time, 1 of 1 heads (zero ablation) and 0 of 1 heads (mean ablation) "
      "cost more than 10 points each. Costliest is A by zero ablation (80 points, 95 % interval 75 "
      "to 85) and none by mean ablation.");
}

TEST_CASE("the headline of ablation doubts a head that leads by chance") {
  Sources sources;
  sources.add("heads", {ablation_file("zero",
                                      "A,encoder,0,critical,40,35,45,0.5\n"
                                      "B,encoder,0,critical,38,33,43,0.52\n")});
  CHECK(ablation_says(ablation_headline(sources),
                      "A by zero ablation (40 points, 95 % interval 35 to 45; not told apart from "
                      "B)"));
}

TEST_CASE("a head whose mean may cost more than a point is not called a constant") {
  const auto with_mean = [](const std::string& interval) {
    Sources sources;
    sources.add("heads", {ablation_file("zero", "A,encoder,0,critical,80,75,85,0.2\n"),
                          ablation_file("mean", "A,encoder,0,redundant," + interval + "\n")});
    return tell_ablation(sources);
  };
  CHECK(ablation_says(with_mean("0.5,0.1,0.9,0.995"), "needs of it alone"));
  CHECK_FALSE(ablation_says(with_mean("1,0.55,1.45,0.99"), "constant"));
}

TEST_CASE("ways that differ by chance are not said to differ") {
  // Of two heads looked at together, each needs a wider interval than alone.
  Sources sources;
  sources.add("heads", {ablation_file("zero",
                                      "A,encoder,0,critical,40,35,45,0.5\n"
                                      "B,encoder,0,critical,30,25,35,0.6\n"),
                        ablation_file("mean",
                                      "A,encoder,0,critical,32.5,27.5,37.5,0.575\n"
                                      "B,encoder,0,critical,30,25,35,0.6\n")});
  CHECK(ablation_says(tell_ablation(sources), "No head's drop can be told apart"));
}

TEST_CASE("numbers of heads that are none are named by row and column") {
  const auto error_of = [](const std::string& row) -> std::string {
    try {
      tell_one_ablation(row + "\n");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(error_of("A,encoder,,critical,40,35,45,0.5") ==
        "ablate@zero.table: row 1, column 'layer': a number is expected, not ''");
  CHECK(error_of("A,encoder,0,critical,nan,35,45,0.5") ==
        "ablate@zero.table: row 1, column 'drop': a number is expected, not 'nan'");
  CHECK(error_of("A,encoder,0,critical,40,35,45,inf") ==
        "ablate@zero.table: row 1, column 'greedy': a finite number is expected, not 'inf'");
  CHECK(error_of("A,encoder,0,huge,40,35,45,0.5").starts_with("ablate@zero.table: row 1, column"));
  CHECK(error_of("A,encoder,0,critical,40,45,50,0.5")
            .starts_with("ablate@zero.table: row 1: the drop 40 is not within its interval"));
}

TEST_CASE("a difference has an interval of its own, wider for many") {
  const Interval apart = difference_between({40, 35, 45}, {32, 27, 37});
  CHECK(excludes_zero(apart));
  CHECK(apart.value == 8);
  CHECK_FALSE(excludes_zero(difference_between({40, 35, 45}, {32, 27, 37}, 24)));
}

}  // namespace
}  // namespace headway
