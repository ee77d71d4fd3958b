// Which stages a run includes, and with which parameters.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

// a -> b -> c -> d, and b -> e@x, e@y.
constexpr const char* kChain = R"(
name: chain
params: {word: w, model: {size: 1}}
stages:
  a: {uses: shell, outs: {t: t.txt}, with: {run: "echo a >> ran.txt; echo ${word} > {out.t}"}}
  b: {uses: shell, in: {t: a}, outs: {t: t.txt}, with: {run: "echo b >> ran.txt; cat {in.t} > {out.t}; echo b ${model.size} >> {out.t}"}}
  c: {uses: shell, in: {t: b}, outs: {t: t.txt}, with: {run: "echo c >> ran.txt; cat {in.t} > {out.t}; echo c >> {out.t}"}}
  d: {uses: shell, in: {t: c}, outs: {t: t.txt}, with: {run: "echo d >> ran.txt; cat {in.t} > {out.t}; echo d >> {out.t}"}}
  e:
    uses: shell
    matrix: {kind: [x, y]}
    in: {t: b}
    outs: {t: t.txt}
    with: {run: "echo e@${matrix.kind} >> ran.txt; (cat {in.t}; echo ${matrix.kind}) > {out.t}"}
variants:
  wide: {model.size: 2}
  wider: {extends: wide, word: v}
)";

struct Chain : Sandbox {
  Chain() { write("p.yaml", kChain); }

  Words run(const Words& more) {
    Words words{"run", "p.yaml"};
    words.insert(words.end(), more.begin(), more.end());
    outcome = headway(words);
    UNSCOPED_INFO(outcome.all());
    return ran();
  }

  Outcome outcome;
};

TEST_CASE("naming stages runs them and what they need") {
  Chain chain;
  CHECK(chain.run({"c"}) == Words{"a", "b", "c"});
  CHECK(chain.run({"e@y"}) == Words{"e@y"});
  CHECK(chain.run({"e@*"}) == Words{"e@x"});
  CHECK(chain.run({"e"}).empty());
  CHECK(chain.run({}) == Words{"d"});
}

TEST_CASE("the option --until runs up to a stage, --from starts at it") {
  Chain chain;
  CHECK(chain.run({"--until", "b"}) == Words{"a", "b"});
  CHECK(chain.run({"--from", "c"}) == Words{"c", "d"});
  CHECK(chain.run({"--from", "b", "--until", "e"}) == Words{"e@x", "e@y"});
  CHECK(chain.run({"--from", "d", "--until", "a"}).empty());
  CHECK(chain.outcome.exit_code == 2);
}

TEST_CASE("the option --only runs nothing else and refuses if inputs are missing") {
  Chain chain;
  CHECK(chain.run({"c", "--only"}).empty());
  CHECK(chain.outcome.exit_code == 2);
  CHECK_THAT(chain.outcome.err, ContainsSubstring("the result of stage 'a' is needed"));
  CHECK(chain.leftovers().empty());
  CHECK(chain.run({"b"}) == Words{"a", "b"});
  CHECK(chain.run({"c", "--only"}) == Words{"c"});
  CHECK(chain.outcome.exit_code == 0);
}

TEST_CASE("the option --force reruns the given targets, or one stage") {
  Chain chain;
  chain.run({});
  CHECK(chain.run({"--force"}) == Words{"a", "b", "c", "d", "e@x", "e@y"});
  CHECK(chain.outcome.exit_code == 0);
  CHECK(chain.run({"--force", "b"}) == Words{"b"});  // equal bytes: what follows is fresh
  CHECK(chain.run({"c", "--force"}) == Words{"c"});
  CHECK(chain.run({"c", "--force", "d"}).empty());
  CHECK(chain.outcome.exit_code == 2);
  CHECK(chain.headway({"run", "--force", "p.yaml"}).exit_code == 0);
  CHECK(chain.ran().size() == 6);
}

TEST_CASE("the option --set changes a parameter, adds one only with a plus, and keeps its type") {
  Chain chain;
  chain.run({});
  CHECK(chain.run({"--set", "model.size=3"}) == Words{"b", "c", "d", "e@x", "e@y"});
  CHECK(chain.read("outputs/chain/model.size=3/b/t.txt") == "w\nb 3\n");
  CHECK(chain.read("outputs/chain/b/t.txt") == "w\nb 1\n");
  CHECK(chain.run({"--set", "model.sise=3"}).empty());
  CHECK(chain.outcome.exit_code == 2);
  CHECK_THAT(chain.outcome.err, ContainsSubstring("did you mean 'model.size'"));
  CHECK(chain.run({"--set", "+extra=1", "--set", "model.size=1"}).empty());
  CHECK(chain.outcome.exit_code == 0);
  CHECK(chain.run({"--set", "model.size=large"}).empty());
  CHECK(chain.outcome.exit_code == 2);
  CHECK(chain.run({"--set", "nonsense"}).empty());
  CHECK(chain.outcome.exit_code == 2);
}

TEST_CASE("a variant has its own folder and shares what is the same") {
  Chain chain;
  chain.run({});
  CHECK(chain.run({"--variant", "wide"}) == Words{"b", "c", "d", "e@x", "e@y"});
  CHECK(chain.read("outputs/chain/wide/b/t.txt") == "w\nb 2\n");
  CHECK(chain.read("outputs/chain/b/t.txt") == "w\nb 1\n");
  CHECK(chain.run({"--variant", "wider", "b"}) == Words{"a", "b"});
  CHECK(chain.read("outputs/chain/wider/b/t.txt") == "v\nb 2\n");
  CHECK(chain.run({}).empty());
  CHECK(chain.read("outputs/chain/wide/b/t.txt") == "w\nb 2\n");
  CHECK(chain.run({"--variant", "wdie"}).empty());
  CHECK(chain.outcome.exit_code == 2);
  CHECK_THAT(chain.outcome.err, ContainsSubstring("did you mean 'wide'"));
}

TEST_CASE("the option --outputs moves results and store elsewhere") {
  Chain chain;
  chain.run({"--outputs", "some where/else"});
  CHECK(chain.outcome.exit_code == 0);
  CHECK(chain.read("some where/else/chain/a/t.txt") == "w\n");
  CHECK_FALSE(chain.exists("outputs"));
  CHECK_THAT(chain.headway({"status", "--outputs", "some where/else"}).out,
             ContainsSubstring("6 fresh"));
}

TEST_CASE("the outputs folder can be moved") {
  Chain chain;
  chain.run({});
  std::filesystem::rename(chain.at("outputs"), chain.at("moved"));
  CHECK(chain.run({"--outputs", "moved"}).empty());
  CHECK(chain.outcome.exit_code == 0);
  CHECK(chain.read("moved/chain/a/t.txt") == "w\n");
}

}  // namespace
}  // namespace headway::e2e
