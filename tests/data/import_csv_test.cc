#include <catch2/catch_test_macros.hpp>

#include "tests/data/importing.h"

namespace headway::testing {
namespace {

using Texts = std::vector<std::string>;
using Tokens = std::vector<Token>;

std::string csv_mistake(const std::string& csv, const ImportOptions& options = with_words()) {
  return mistake_in(csv, options, "d.csv");
}

Dataset dataset_of_csv(const std::string& csv, const ImportOptions& options = with_words()) {
  return import_text(csv, options, "d.csv").data;
}

TEST_CASE("rows of CSV are records, whose texts may be quoted", "[import]") {
  const Dataset data = dataset_of_csv(
      "\xEF\xBB\xBFid,input,label,split\r\n"
      "1,\"well, \"\"good\"\"\",pos,train\r\n"
      "2,\"bad\nbad\",neg,val\r\n"
      "3,good,pos,test\r\n");
  CHECK(texts_in(data, "train") == Texts{"pos: well, \"good\""});
  CHECK(texts_in(data, "val") == Texts{"neg: bad bad"});
  CHECK(data.legend->classes == Texts{"neg", "pos"});
  CHECK(data.legend->vocabulary.words() == Texts{"\"good\"", "bad", "good", "well,"});
}

TEST_CASE("a label that looks like a number is a class, not a number", "[import]") {
  const Dataset data =
      dataset_of_csv("input,label,split\na,10,train\nb,9,train\nc,010,val\nd,1e1,test\n");
  CHECK(data.legend->classes == Texts{"9", "010", "10", "1e1"});  // by value, then by bytes
  CHECK(texts_in(data, "val") == Texts{"010: c"});
}

TEST_CASE("columns may have other names", "[import]") {
  ImportOptions options = with_words();
  options.names[static_cast<std::size_t>(RecordField::kInput)] = "text";
  options.names[static_cast<std::size_t>(RecordField::kLabel)] = "sentiment";
  const std::string rows = "text,sentiment,split\na,x,train\nb,y,val\nc,y,test\n";
  CHECK(texts_in(dataset_of_csv(rows, options), "train") == Texts{"x: a"});
  CHECK(csv_mistake("text,feeling,split\na,x,train\n", options) ==
        "d.csv:2: 'sentiment' is missing; there are feeling, split, text");
  CHECK(csv_mistake("input,sentiment,split\na,x,train\n", options) ==
        "d.csv:2: 'text' is missing; there are input, sentiment, split");
}

TEST_CASE("groups and pairs are columns that the parameters name", "[import]") {
  ImportOptions options = with_words();
  options.groups = {"length", "kind"};
  options.pairs = {"swap"};
  const Dataset data = dataset_of_csv(
      "input,split,length,kind,swap\n"
      "a b,train,2,x,1\nc,train,1,x,\nb a,train,2,y,1\na,val,1,x,\nb,test,10,x,\n",
      options);
  CHECK(data.legend->groups ==
        std::vector<SampleGroup>{{"kind", {"x", "y"}}, {"length", {"1", "2", "10"}}});
  CHECK(data.split("train").groups == std::vector<Tokens>{{0, 0, 1}, {1, 0, 1}});
  CHECK(data.split("train").pairs.at("swap") == std::vector<SamplePair>{{0, 2}});
  CHECK(data.split("val").pairs.empty());
  CHECK(csv_mistake("input,length,swap\na,1,\n", options) ==
        "d.csv:2: 'kind' is missing, which is a group; there are input, length, swap");
  CHECK(csv_mistake("input,length,kind\na,1,x\n", options) ==
        "d.csv:2: 'swap' is missing, which is a pair's key; there are input, kind, length");
  CHECK(csv_mistake("input,length,kind,swap\na,1,,\n", options) ==
        "d.csv:2: group 'kind': \"\" is no value (text or a number)");
  CHECK(csv_mistake("input,groups\na,x\n")
            .starts_with("d.csv:2: 'groups' should be a map from groups to values, but is \"x\""));
}

TEST_CASE("lists in cells have spaces between their items", "[import]") {
  const Dataset data = dataset_of_csv(
      "input,target,split,input_roles,target_roles,input_positions,target_positions,asked\n"
      "x + y,z z,train,a  b,s t,0 1 2,7 8,0 0 1\n"
      "x,z z,val,,s s,5,0 1,1\n"
      "y,z z,test,b,s t,5,0 1,0\n");
  CHECK(data.legend->roles == Texts{"a", "b", "s", "t"});
  CHECK(data.split("train").input_roles == Tokens{0, kNoRole, 1});
  CHECK(data.split("val").input_roles == Tokens{kNoRole});
  CHECK(data.split("train").target_roles == Tokens{2, 3});
  CHECK(data.split("train").input_positions == Tokens{0, 1, 2});
  CHECK(data.split("train").target_positions == Tokens{7, 8});
  CHECK(data.split("train").input_asked == Tokens{0, 0, 1});
  const auto row = [](const std::string& cells) {
    return csv_mistake("input,input_roles,input_positions\n" + cells + "\n");
  };
  CHECK(row("x y,a,0 1") == "d.csv:2: 'input_roles' has 1 role for 2 tokens");
  CHECK(row("x y,a b,0") == "d.csv:2: 'input_positions' has 1 number for 2 tokens");
  CHECK(row("x y,a b,0 b") == "d.csv:2: 'input_positions': \"b\" is none of the numbers 0..65535");
  CHECK(row("x y,a b,0 1.5") ==
        "d.csv:2: 'input_positions': \"1.5\" is none of the numbers 0..65535");
  CHECK(row("x y,a b,0 99999999999") ==
        "d.csv:2: 'input_positions': \"99999999999\" is none of the numbers 0..65535");
}

TEST_CASE("an empty cell is no input, target or label", "[import]") {
  CHECK(csv_mistake("input,target\na,b\n,b\n") == "d.csv:3: 'input' is empty");
  CHECK(csv_mistake("input,target\na,b\n  ,b\n") == "d.csv:3: 'input' is empty");
  CHECK(csv_mistake("input,target\na,b\na,\n") == "d.csv:3: 'target' is empty");
  CHECK(csv_mistake("input,label\na,b\na,\n") ==
        "d.csv:3: 'label': \"\" is no class (text or a whole number)");
}

TEST_CASE("a file that is no table is refused with its line", "[import]") {
  CHECK(csv_mistake("") == "d.csv: empty; the first line should name the columns");
  CHECK(csv_mistake("input,label\n") == "d.csv: it has no records");
  CHECK(csv_mistake("input,label\na,b\nc\n") ==
        "d.csv:3: a row with 1 cell, but there are 2 columns");
  CHECK(csv_mistake("input,label\na,b,c\n") ==
        "d.csv:2: a row with 3 cells, but there are 2 columns");
  CHECK(csv_mistake("input,input\na,b\n") == "d.csv:1: two columns are called 'input'");
  CHECK(csv_mistake("input,label\n\"a\nb\",c\n\"a,b\n") ==
        "d.csv:4: a quote is opened and never closed");
  CHECK(csv_mistake("text,label\na,b\n") == "d.csv:2: 'input' is missing; there are label, text");
  CHECK(csv_mistake("input,label\na,b\n\xff,b\n") == "d.csv:3: this is not UTF-8");
  CHECK(csv_mistake(std::string("input,label\na,\0b\n", 17)) ==
        "d.csv:2: a zero byte: this is not text");
}

TEST_CASE("a column that is nearly a field is taken for a slip", "[import]") {
  CHECK(csv_mistake("input,lable\na,b\n") ==
        "d.csv:2: unknown field 'lable'; did you mean 'label'?");
  CHECK(csv_mistake("input,targets\na,b\n") ==
        "d.csv:2: unknown field 'targets'; did you mean 'target'?");
  const Dataset data = dataset_of_csv(
      "input,label,labels,source,split\na,x,1,web,train\nb,y,2,web,val\nc,x,3,web,test\n");
  CHECK(data.legend->classes == Texts{"x", "y"});  // `labels` means nothing where there is a label
}

TEST_CASE("a row with a million words is refused", "[import]") {
  std::string words;
  for (int i = 0; i < 1'000'000; ++i) words += "a ";
  CHECK(csv_mistake("input\n" + words + "\n") ==
        "d.csv:2: 'input' has 1000000 tokens; at most 65536 can be");
  CHECK(csv_mistake("input\n" + words + "\n", with_characters()) ==
        "d.csv:2: 'input' has 2000000 tokens; at most 65536 can be");
}

}  // namespace
}  // namespace headway::testing
