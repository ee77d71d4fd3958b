#include "lib/report/sources.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "lib/base/error.h"

namespace headway {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Message;
using Catch::Matchers::MessageMatches;

Sources two_sources() {
  Sources sources;
  sources.add("heads", {{"", "ablate.heads", "heads.csv", "head,drop\nH0,0.5\n"}});
  sources.add("evaluations", {{"a", "evaluate@a.metrics", "metrics.json", R"({"greedy": 1})"},
                              {"b", "evaluate@b.metrics", "metrics.json", R"({"greedy": 0})"}});
  return sources;
}

TEST_CASE("artifacts are found by their names, in the order they came", "[sources]") {
  const Sources sources = two_sources();
  CHECK(sources.names() == std::vector<std::string>{"heads", "evaluations"});
  CHECK(sources.has("heads"));
  CHECK_FALSE(sources.has("head"));
  CHECK(sources.file("heads").origin == "ablate.heads");
  CHECK(sources.files("evaluations").size() == 2);
}

TEST_CASE("artifacts are read as what they are", "[sources]") {
  const Sources sources = two_sources();
  CHECK(sources.table("heads").number(0, "drop") == 0.5);
  CHECK(sources.tables("heads").at(0).table.size() == 1);
  const std::vector<SourceMetrics> metrics = sources.all_metrics("evaluations");
  REQUIRE(metrics.size() == 2);
  CHECK(metrics[1].item == "b");
  CHECK(metrics[1].metrics == Json{{"greedy", 0}});
}

TEST_CASE("tensors are read from their bytes", "[sources]") {
  TensorFile file;
  file.arrays["x"] = Array::of({2}, std::vector<float>{1, 2});
  Sources sources;
  sources.add("maps", {{"", "train.maps", "maps.safetensors", to_safetensors(file)}});
  CHECK(sources.tensors("maps") == file);
}

TEST_CASE("a name that is missing is told with those that there are", "[sources]") {
  CHECK_THROWS_MATCHES(
      two_sources().table("head"), Error,
      Message("no input is called 'head'; there are: heads, evaluations; did you mean 'heads'?"));
  CHECK_THROWS_MATCHES(Sources().file("x"), Error,
                       Message("no input is called 'x'; there are: none"));
}

TEST_CASE("several artifacts are not taken for one", "[sources]") {
  CHECK_THROWS_MATCHES(two_sources().metrics("evaluations"), Error,
                       Message("input 'evaluations': one artifact is expected here, not 2"));
}

TEST_CASE("a mistake in an artifact is told with where it came from", "[sources]") {
  Sources sources;
  sources.add("x", {{"", "make.x", "x", "a,b\n1\n"}});
  CHECK_THROWS_MATCHES(sources.table("x"), Error, MessageMatches(ContainsSubstring("make.x")));
  CHECK_THROWS_MATCHES(sources.tensors("x"), Error, MessageMatches(ContainsSubstring("make.x")));
  CHECK_THROWS_MATCHES(sources.metrics("x"), Error,
                       Message("make.x: not metrics: line 1, column 1: unexpected 'a'"));
  sources.add("list", {{"", "make.list", "list.json", "[1]"}});
  CHECK_THROWS_MATCHES(sources.metrics("list"), Error,
                       Message("make.list: not metrics: a JSON object is expected"));
}

TEST_CASE("more files of a name join those that are there", "[sources]") {
  Sources sources = two_sources();
  sources.add("heads", {{"again", "again.heads", "heads.csv", "head,drop\n"}});
  CHECK(sources.names().size() == 2);
  CHECK(sources.tables("heads").at(1).item == "again");
}

}  // namespace
}  // namespace headway
