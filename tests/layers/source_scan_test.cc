#include "tests/layers/source_scan.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

namespace headway::layers {
namespace {

std::vector<int> lines_that_mention(std::string_view source, std::string_view phrase) {
  std::vector<int> lines;
  for (const Token& token : tokens_of(source)) {
    if (mentions(token.text, phrase)) lines.push_back(token.line);
  }
  return lines;
}

TEST_CASE("a planted word is found in identifiers and literals, but not in comments") {
  const char* const source =
      "#include \"lib/trial.h\"  // trial\n"        // 1
      "// A trial.\n"                               // 2
      "/* trials\n   trial */ int trial_count;\n"   // 3, 4
      "const char* name = \"a \\\" trial\";\n"      // 5
      "class TrialTracker {};  // trial\n"          // 6
      "auto raw = R\"x(one \" trials)x\"; f(t);\n"  // 7
      "int n = 100'000; char quote = '\"';\n"       // 8
      "int kTrials = 'a';\n"                        // 9
      "int industrial = 0, trialing = 1;\n";        // 10
  CHECK(lines_that_mention(source, "trial") == std::vector<int>{4, 5, 6, 7, 9, 10});
  CHECK(lines_that_mention(source, "quote") == std::vector<int>{8});
  CHECK(lines_that_mention("// trial only here\n", "trial").empty());
}

TEST_CASE("multi-word names are found in every spelling") {
  for (const char* text : {"train-seq2seq", "train_seq2seq_stage", "uses: train-seq2seq\\n"})
    CHECK(mentions(text, "train-seq2seq"));
  CHECK_FALSE(mentions("train_classifier, seq2seq", "train-seq2seq"));
  CHECK(mentions("CollectTrials", "collect-trials"));
  CHECK(mentions("carries", "carry"));
  CHECK_FALSE(mentions("additional", "addition"));
}

TEST_CASE("includes are found with their quotes") {
  const auto includes =
      includes_of("#include <a/b.h>\n  # include \"lib/c.h\"\n// #include \"d\"\n");
  REQUIRE(includes.size() == 2);
  CHECK(includes[0].header == "a/b.h");
  CHECK_FALSE(includes[0].is_quoted);
  CHECK(includes[1].header == "lib/c.h");
  CHECK(includes[1].is_quoted);
}

}  // namespace
}  // namespace headway::layers
