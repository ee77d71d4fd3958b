#include "lib/addition/findings/pruning.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"

namespace headway {
namespace {

bool pruning_says(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

Sources pruning_sources(const std::string& tolerances, const std::string& curves = "") {
  Sources sources;
  sources.add("tolerances", {{"", "prune.tolerances", "tolerances.csv",
                              "tolerance,individually,together,accuracy,heads\n" + tolerances}});
  if (!curves.empty()) {
    sources.add("curves", {{"", "prune.table", "curves.csv",
                            "strategy,removed,accuracy,low,high,head\n" + curves}});
  }
  return sources;
}

void add_pruned(Sources& sources, const std::string& json) {
  sources.add("pruned", {{"", "prune.metrics", "metrics.json", json}});
}

const char* const kFourHeads =
    "greedy,0,1,0.99,1,\ngreedy,1,1,0.99,1,A\ngreedy,2,0.995,0.985,0.998,B\n"
    "greedy,3,0.4,0.37,0.43,C\ngreedy,4,0,0,0.01,D\n";

TEST_CASE("together is only fewer where it is fewer") {
  const auto headline = [](const std::string& row) {
    return pruning_headline(pruning_sources(row, kFourHeads));
  };
  CHECK(headline("1,3,2,0.995,A; B\n") ==
        "3 of 4 heads can each be removed (set to zero) for at most 1 point; together only 2.");
  CHECK(headline("1,2,2,0.995,A; B\n") ==
        "2 of 4 heads can each be removed (set to zero) for at most 1 point; together as many.");
  CHECK(headline("1,1,2,0.995,A; B\n") ==
        "1 of 4 heads can be removed (set to zero) for at most 1 point; together, one after "
        "another, even 2.");
  CHECK(headline("1,1,1,1,A\n") ==
        "1 of 4 heads can be removed (set to zero) for at most 1 point.");
  CHECK(headline("1,3,0,1,\n") ==
        "3 of 4 heads can each be removed (set to zero) for at most 1 point; together none.");
  CHECK(headline("5,0,0,1,\n") == "No head can be removed (set to zero) for at most 5 points.");
}

TEST_CASE("accuracy without the heads has its interval, and is held against the tolerance") {
  const std::string text = tell_pruning(pruning_sources("1,3,2,0.995,A; B\n", kFourHeads));
  CHECK(pruning_says(text,
                     "Without A and B, exact match is 99.5 % (95 % interval 98.5 to 99.8 %); "
                     "by its interval up to 1.50 points may be lost"));
  CHECK_FALSE(pruning_says(tell_pruning(pruning_sources("5,3,2,0.995,A; B\n", kFourHeads)),
                           "past the tolerance"));
}

TEST_CASE("orders of removal differ only beyond their intervals") {
  const std::string row = "1,3,2,0.995,A; B\n";
  CHECK(pruning_says(
      tell_pruning(pruning_sources(row, std::string(kFourHeads) + "one-shot,3,0.3,0.27,0.33,A\n")),
      "differ most with 3 heads gone: 40 % (95 % interval 37 to 43 %) against 30 % (95 % interval "
      "27 "
      "to 33 %), in favour of the greedy order"));
  CHECK(pruning_says(
      tell_pruning(pruning_sources(row, std::string(kFourHeads) + "one-shot,3,0.5,0.47,0.53,A\n")),
      "in favour of the ranking"));
  CHECK(pruning_says(
      tell_pruning(pruning_sources(row, std::string(kFourHeads) + "one-shot,3,0.41,0.38,0.44,A\n")),
      "at any number of heads (compared as if on different problems)"));
}

TEST_CASE("random orders are compared by their best and their mean") {
  const std::string row = "1,3,2,0.995,A; B\n";
  const auto against = [&](const std::string& random) {
    return tell_pruning(pruning_sources(row, std::string(kFourHeads) + random));
  };
  CHECK(pruning_says(against("random,2,0.5,0.1,0.7,\n"), "better than every random order"));
  CHECK(
      pruning_says(against("random,2,0.5,0.1,0.99,\n"), "better than their mean, but not beyond"));
  CHECK(pruning_says(against("random,2,0.999,0.995,1,\n"), "no better than their mean"));
}

TEST_CASE("fine-tuning is said to help only where it does") {
  Sources sources = pruning_sources("1,3,2,0.9,A; B\n");
  sources.add("data", {{"", "data.metrics", "metrics.json", R"({"test": 1000})"}});
  const auto with = [&](const std::string& pruned) {
    Sources all = sources;
    add_pruned(all, R"({"greedy":1.0,"heads":4,"parameters":2000,"pruned":)" + pruned + "}");
    return tell_pruning(all);
  };
  CHECK(pruning_says(
      with(R"({"heads_removed":2,"greedy":0.9,"fine_tuned":1.0,"parameters":1500})"),
      "after fine-tuning in 100 % (95 % interval 99.62 to 100 %): 100 more of the same problems "
      "(sign test, p < 0.001) than before, and the same share as the whole model (100 %). It has "
      "1,500 instead of 2,000 parameters, 25 % fewer."));
  CHECK(pruning_says(
      with(R"({"heads_removed":2,"greedy":0.9,"fine_tuned":0.905,"parameters":1500})"),
      "not told apart (compared as if on different problems) from before, and 95 fewer of "
      "the same problems (sign test, p < 0.001) than the whole model (100 %)"));
  CHECK(
      pruning_says(with(R"({"heads_removed":2,"greedy":0.9,"parameters":1500})"),
                   ": 100 fewer of the same problems (sign test, p < 0.001) than the whole model"));
  CHECK(pruning_says(with(R"({"heads_removed":0,"greedy":1.0,"parameters":2000})"),
                     "it is the whole model"));
}

TEST_CASE("a smaller model is called faster only where it is") {
  const auto with = [](const std::string& rate) {
    Sources sources = pruning_sources("1,3,2,0.9,A; B\n");
    sources.add("timing", {{"", "prune.timing", "timing.csv",
                            "model,problems_per_second\nwhole,1000\npruned," + rate + "\n"}});
    return tell_pruning(sources);
  };
  CHECK(pruning_says(with("1200"), "1.20 times as fast"));
  CHECK(pruning_says(with("1010"), "as fast, within what such a measurement can tell"));
  CHECK(pruning_says(with("800"), "0.80 times as fast"));
}

TEST_CASE("where one share is all, what changed on the same problems is known") {
  const auto with = [](const std::string& cut) {
    Sources sources = pruning_sources("1,3,2,0.9,A; B\n");
    sources.add("data", {{"", "data.metrics", "metrics.json", R"({"test": 2000})"}});
    add_pruned(sources, R"({"greedy":1.0,"heads":4,"parameters":2000,"pruned":{"heads_removed":2,)"
                        R"("fine_tuned":1.0,"parameters":1500,"greedy":)" +
                            cut + "}}");
    return tell_pruning(sources);
  };
  // The intervals of 1,994 and 2,000 of 2,000 overlap.
  CHECK(pruning_says(with("0.997"),
                     "6 more of the same problems (sign test, p = 0.031) than before"));
  CHECK(pruning_says(with("0.9975"),
                     "5 more of the same problems (which may be chance: sign test, p = "
                     "0.062) than before"));
}

TEST_CASE("orders are told apart where intervals overlap but the difference is beyond chance") {
  CHECK(pruning_says(
      tell_pruning(pruning_sources("1,3,2,0.995,A; B\n",
                                   std::string(kFourHeads) + "one-shot,3,0.341,0.312,0.371,A\n")),
      "in favour of the greedy order"));
  CHECK(pruning_says(
      tell_pruning(pruning_sources("1,3,2,0.995,A; B\n",
                                   std::string(kFourHeads) + "one-shot,3,0.357,0.328,0.387,A\n")),
      "at any number of heads"));
}

TEST_CASE("numbers of pruning that are none are named") {
  const auto error_of = [](const Sources& sources) -> std::string {
    try {
      tell_pruning(sources);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(error_of(pruning_sources("1,-1,2,0.995,A\n")) ==
        "prune.tolerances: row 1, column 'individually': a whole number from 0 is expected, not "
        "'-1'");
  CHECK(error_of(pruning_sources("1,3,2,0.995,A\n", "greedy,nan,1,1,1,\n"))
            .starts_with("prune.table: row 1, column 'removed': "));
  Sources less = pruning_sources("1,3,2,0.995,A\n");
  add_pruned(less, R"({"greedy":1.0,"heads":4,"parameters":-5,)"
                   R"("pruned":{"heads_removed":2,"greedy":0.9,"parameters":1500}})");
  CHECK(error_of(less) == "prune.metrics: 'parameters': a whole number from 0 is expected, not -5");
  Sources text = pruning_sources("1,3,2,0.995,A\n");
  add_pruned(text, R"({"greedy":"much"})");
  CHECK(error_of(text) == "prune.metrics: 'greedy': a number is expected, not \"much\"");
}

}  // namespace
}  // namespace headway
