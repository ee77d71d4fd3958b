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

TEST_CASE("artifacts are found by name, in their original order", "[sources]") {
  const Sources sources = two_sources();
  CHECK(sources.names() == std::vector<std::string>{"heads", "evaluations"});
  CHECK(sources.has("heads"));
  CHECK_FALSE(sources.has("head"));
  CHECK(sources.file("heads").origin == "ablate.heads");
  CHECK(sources.files("evaluations").size() == 2);
}

TEST_CASE("artifacts are read according to their kind", "[sources]") {
  const Sources sources = two_sources();
  const Table table = table_of(sources.file("heads"));
  CHECK(table.number(0, "drop") == 0.5);
  CHECK(table.size() == 1);
  const std::vector<SourceFile>& evaluations = sources.files("evaluations");
  REQUIRE(evaluations.size() == 2);
  CHECK(evaluations[1].item == "b");
  CHECK(metrics_of(evaluations[1]) == Json{{"greedy", 0}});
}

TEST_CASE("tensors are read from their bytes", "[sources]") {
  TensorFile file;
  file.arrays["x"] = Array::of({2}, std::vector<float>{1, 2});
  Sources sources;
  sources.add("maps", {{"", "train.maps", "maps.safetensors", to_safetensors(file)}});
  CHECK(tensors_of(sources.file("maps")) == file);
}

TEST_CASE("a missing name is reported with the existing ones", "[sources]") {
  CHECK_THROWS_MATCHES(
      two_sources().file("head"), Error,
      Message("no input is called 'head'; there are: heads, evaluations; did you mean 'heads'?"));
  CHECK_THROWS_MATCHES(Sources().file("x"), Error,
                       Message("no input is called 'x'; there are: none"));
}

TEST_CASE("several artifacts are not treated as one", "[sources]") {
  CHECK_THROWS_MATCHES(two_sources().file("evaluations"), Error,
                       Message("input 'evaluations': one artifact is expected here, not 2"));
}

TEST_CASE("a mistake in an artifact is reported with its origin", "[sources]") {
  Sources sources;
  sources.add("x", {{"", "make.x", "x", "a,b\n1\n"}});
  CHECK_THROWS_MATCHES(table_of(sources.file("x")), Error,
                       MessageMatches(ContainsSubstring("make.x")));
  CHECK_THROWS_MATCHES(tensors_of(sources.file("x")), Error,
                       MessageMatches(ContainsSubstring("make.x")));
  CHECK_THROWS_MATCHES(metrics_of(sources.file("x")), Error,
                       Message("make.x: not metrics: line 1, column 1: unexpected 'a'"));
  sources.add("list", {{"", "make.list", "list.json", "[1]"}});
  CHECK_THROWS_MATCHES(metrics_of(sources.file("list")), Error,
                       Message("make.list: not metrics: a JSON object is expected"));
}

TEST_CASE("additional files of the same name are appended", "[sources]") {
  Sources sources = two_sources();
  sources.add("heads", {{"again", "again.heads", "heads.csv", "head,drop\n"}});
  CHECK(sources.names().size() == 2);
  CHECK(sources.files("heads").at(1).item == "again");
}

}  // namespace
}  // namespace headway
