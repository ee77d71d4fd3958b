// Accuracy by groups of samples: which groups and values are drawn, and how.
#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>

#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

const std::string kColumns = "group,value,count,greedy,low,high,teacher_forced\n";
const std::string kAll = "all,all,10,0.5,0.4,0.6,0.5\n";

Figure groups_figure(const std::string& rows, const std::vector<std::string>& groups = {}) {
  FigureOptions options;
  options.groups = groups;
  return figure_of("group-accuracy", {csv("", kColumns + rows)}, options);
}

std::string groups_mistake(const std::string& rows, const std::vector<std::string>& groups = {}) {
  FigureOptions options;
  options.groups = groups;
  return mistake("group-accuracy", {csv("", kColumns + rows)}, options);
}

std::string values_of_group(const std::string& group, int count) {
  std::string rows;
  for (int i = 0; i < count; ++i) rows += fmt::format("{},value {},5,0.5,0.4,0.6,0.5\n", group, i);
  return rows;
}

TEST_CASE("all groups are drawn, or those asked for in their order", "[report]") {
  const std::string rows = kAll + values_of_group("first", 2) + values_of_group("second", 2);
  CHECK(contains(groups_figure(rows).data, "# 0: first\n"));
  CHECK(contains(groups_figure(rows).data, "# 1: second\n"));
  CHECK(contains(groups_figure(rows, {"second", "first"}).data, "# 1: first\n"));
  CHECK_FALSE(contains(groups_figure(rows, {"second"}).data, "first"));
  CHECK(groups_mistake(rows, {"secnd"}) ==
        "figure 'group-accuracy': the table has no group 'secnd'; it has first, second; did you "
        "mean 'second'?");
}

TEST_CASE("values without problems are left out", "[report]") {
  const Figure figure = groups_figure(kAll + "a,0,5,1,0.9,1,1\na,1,0,0,0,1,0\na,2,5,1,0.9,1,1\n");
  CHECK(contains(figure.script, "set xtics ('0' 1, '2' 2)"));
  CHECK(groups_mistake(kAll + "a,1,0,0,0,1,0\n") ==
        "figure 'group-accuracy': the table has no problems in any group beside 'all': nothing to "
        "draw");
  CHECK(groups_mistake(kAll) ==
        "figure 'group-accuracy': the table has no problems in any group beside 'all': nothing to "
        "draw");
}

TEST_CASE("of answers that are sequences, roles and positions count single tokens", "[report]") {
  const std::string rows = "all,all,8,0.5,0.4,0.6\nrole,s0,8,0.75,0.7,0.8\n";
  const auto script_with = [&](const std::string& accuracy) {
    return figure_of("group-accuracy",
                     {csv("", "group,value,count," + accuracy + ",low,high\n" + rows)})
        .script;
  };
  CHECK(contains(script_with("greedy"), "'single tokens, by role'"));
  // The share of right answers is no average of them.
  CHECK_FALSE(contains(script_with("greedy"), "plot 50 with lines"));
  CHECK_FALSE(contains(script_with("greedy"), "title 'all problems'"));
  CHECK(contains(script_with("accuracy"), "'role'"));
  CHECK(contains(script_with("accuracy"), "plot 50 with lines"));
}

TEST_CASE("a table of neither answers nor labels is reported", "[report]") {
  CHECK(mistake("group-accuracy", {csv("", "group,value,count,low,high\na,0,5,0,1\n")}) ==
        "figure 'group-accuracy': the table has no column 'greedy', 'accuracy' or "
        "'token_accuracy'; it has group, value, count, low, high");
  CHECK(groups_mistake("a,0,10,,0,1,1\n") ==
        "figure 'group-accuracy': the table, row 1: column 'greedy' must be a number, not ''");
}

TEST_CASE("many groups are drawn in several rows", "[report]") {
  std::string rows = kAll;
  for (int i = 0; i < 12; ++i) rows += values_of_group("group" + std::to_string(i), 3);
  const Figure one = groups_figure(kAll + values_of_group("a", 3)), many = groups_figure(rows);
  CHECK(many.size.width < 1400);
  CHECK(many.size.height > 2 * one.size.height);
  CHECK(draw(many).warnings == "");
}

TEST_CASE("of many values, only the names that fit are shown, and no counts", "[report]") {
  const std::string script = groups_figure(kAll + values_of_group("length", 60)).script;
  CHECK(contains(script, "('value 0' 1, '' 2, "));
  CHECK_FALSE(contains(script, "count' at screen"));
  CHECK(contains(groups_figure(kAll + values_of_group("length", 3)).script, "count' at screen"));
  CHECK(groups_mistake(kAll + values_of_group("length", 1001)) ==
        "figure 'group-accuracy': the table: group 'length' has 1001 values, more than the 1000 "
        "that can be drawn; choose others with 'groups'");
}

TEST_CASE("several tables are no one figure of groups", "[report]") {
  const std::string table = kColumns + kAll + values_of_group("a", 2);
  CHECK(mistake("group-accuracy", {csv("x", table), csv("y", table)}) ==
        "figure 'group-accuracy': takes one table, not 2: draw each in a figure of its own");
}

}  // namespace
}  // namespace headway::testing
