// Names of variations: results with other parameters never share a folder.
#include <catch2/catch_test_macros.hpp>

#include "lib/spec/variation.h"
#include "tests/support/loading.h"

namespace headway::testing {
namespace {

using Arguments = std::vector<std::string>;

const std::string kText =
    "params: {seed: 1, lr: 0.1, name: x, list: [1], model: {d: 8, heads: 2}, base: 5, twice: "
    "'${base}', empty: }\n"
    "stages: {a: {uses: shell, outs: {o: o.txt}, with: {run: 'echo > {out.o}'}}}\n"
    "variants: {wide: {model.d: 64}}\n";

std::string name_of(std::vector<std::string> sets, const std::string& variant = "") {
  return load(kText, {variant, std::move(sets), {}}).variant;
}

}  // namespace

TEST_CASE("a variation is named by its variant and by what was set", "[variation]") {
  CHECK(name_of({}) == "");
  CHECK(name_of({}, "wide") == "wide");
  CHECK(name_of({"seed=7"}) == "seed=7");
  CHECK(name_of({"model.heads=4"}, "wide") == "wide@model.heads=4");
  CHECK(name_of({"name=plain-words_1.5"}) == "name=plain-words_1.5");
  CHECK(name_of({"+tag=x"}) == "tag=x");
  CHECK(name_of({"a.code=[]"}).starts_with("a.code=_~"));
}

TEST_CASE("the order of --set does not change a variation's name", "[variation]") {
  CHECK(name_of({"seed=7", "lr=0.5"}) == "lr=0.5,seed=7");
  CHECK(name_of({"lr=0.5", "seed=7"}) == "lr=0.5,seed=7");
  CHECK(name_of({"lr=5e-1"}) == name_of({"lr=0.5"}));
}

TEST_CASE("a value that a parameter has anyway does not count", "[variation]") {
  CHECK(name_of({"seed=1"}) == "");
  CHECK(name_of({"seed=1", "lr=0.5"}) == "lr=0.5");
  CHECK(name_of({"model={d: 8}"}) == "");
  CHECK(name_of({"model.d=64"}, "wide") == "wide");
  CHECK(name_of({"model.d=8"}, "wide") == "wide@model.d=8");
  CHECK(name_of({"seed=3", "seed=1"}) == "");
  CHECK(name_of({"seed=1.0"}) == "seed=1.0");  // a command sees the difference
  CHECK(name_of({"seed=3", "seed=4"}) == "seed=4");
  CHECK(name_of({"a.run='echo > {out.o}'"}) == "");
}

TEST_CASE("a parameter that refers to another one is not the value it has now", "[variation]") {
  CHECK(name_of({"twice=5"}) == "twice=5");
}

TEST_CASE("different values never share a name", "[variation]") {
  const std::vector<std::vector<std::string>> all = {
      {"name=a b"},      {"name=a_b"},
      {"name=a/b"},      {"name='1'"},
      {"empty=1"},       {"empty='1'"},
      {"empty='null'"},  {"empty=true"},
      {"empty='true'"},  {"list=[1, 2]"},
      {"list=[12]"},     {"name=1_2"},
      {"name=größe"},    {"name=gr__e"},
      {"name=''"},       {"name=_"},
      {"model={d: 1}"},  {"model={heads: 1}"},
      {"model.d=1"},     {"model={d: 1}", "model={heads: 1}"},
      {"name=a,seed=2"}, {"name=a", "seed=2"}};
  std::map<std::string, std::vector<std::string>> seen;
  for (const std::vector<std::string>& sets : all) {
    const std::string name = name_of(sets);
    INFO(name);
    CHECK(seen.emplace(name, sets).second);
    CHECK(name.find('=') != std::string::npos);
    CHECK(name.find('/') == std::string::npos);
  }
}

TEST_CASE("long values are shortened to a digest and stay different", "[variation]") {
  const std::string text(400, 'x');
  CHECK(name_of({"name=" + text + "1"}).size() <= 150);
  CHECK(name_of({"name=" + text + "1"}) != name_of({"name=" + text + "2"}));
}

TEST_CASE("the arguments of a variation lead back to it", "[variation]") {
  const PipelineSpec pipeline = load(kText, {"wide", {"seed=1", "name=a b", "lr=0.5"}, {}});
  CHECK(pipeline.arguments ==
        Arguments{"--variant", "wide", "--set", "lr=0.5", "--set", "name=a b"});
  const LoadOptions options = options_from(pipeline.arguments);
  CHECK(load(kText, options).variant == pipeline.variant);
  CHECK(options_from({}).sets.empty());
}

TEST_CASE("a pipeline knows the digests of all files that it was read from", "[variation]") {
  const TemporaryFolder folder;
  folder.write("p.yaml", "include: q.yaml\n" + and_a_stage(""));
  folder.write("q.yaml", "params: {x: 1}\n");
  const FileDigests digests = load_in(folder, "p.yaml").digests;
  CHECK(digests.size() == 2);
  CHECK(digests.at("q.yaml") == digest_of("params: {x: 1}\n"));
}

}  // namespace headway::testing
