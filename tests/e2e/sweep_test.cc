// `headway sweep`, `compare` and `diff` on the real program, with commands as stages.
#include <signal.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/processes.h"
#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

// Each stage leaves a line in ran.txt; x = 13 is unlucky.
constexpr const char* kSweep = R"(
params: {x: 1, seed: 1, late: 0}
stages:
  early: {uses: shell, outs: {t: t.txt}, with: {run: "echo early >> ran.txt; echo hello > {out.t}"}}
  work:
    uses: shell
    in: {t: early}
    outs: {metrics: metrics.json}
    with:
      run: |
        echo work ${x} ${seed} >> ran.txt
        test ${x} != 13
        echo '{"score": '$((${x} * 10 + ${seed}))'}' > {out.metrics}
  last:
    uses: shell
    in: {t: work}
    outs: {metrics: m.json}
    with: {run: "echo last ${x} ${seed} ${late} >> ran.txt; echo '{\"late\": ${late}}' > {out.metrics}"}
sweeps:
  s:
    axes: {x: [1, 2], seed: [1, 2, 3]}
    maximize: work.score
    stages:
      sum:
        uses: shell
        in: {table: trials, works: "work@*"}
        outs: {t: sum.csv}
        with: {run: "echo sum >> ran.txt; cat {in.table} > {out.t}; echo {items.works} >> {out.t}"}
)";

Words work(const Words& which, const char* stage = "work") {
  Words lines;
  for (const std::string& one : which) lines.push_back(std::string(stage) + " " + one);
  return lines;
}

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Words sorted(Words words) {
  std::sort(words.begin(), words.end());
  return words;
}

TEST_CASE("a sweep runs shared stages once, resumes, and computes only what is new") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kSweep);
  const Words all = {"1 1", "1 2", "1 3", "2 1", "2 2", "2 3"};
  Words ends;
  for (const std::string& one : all) ends.push_back(one + " 0");

  const Outcome first = sandbox.headway({"sweep", "p.yaml", "s"});
  INFO(first.all());
  REQUIRE(first.exit_code == 0);
  CHECK(sandbox.ran() == sorted(Words{"early", "sum"} + work(all) + work(ends, "last")));
  CHECK_THAT(first.out, ContainsSubstring("6 of 6 trials finished; best x=2,seed=3"));
  CHECK_THAT(first.out,
             ContainsSubstring("* 2    22.0 ± 2.5") || ContainsSubstring("* 2  22.0 ± 2.5"));
  CHECK(sandbox.read("outputs/p/s/x=2,seed=3/work/metrics.json") == "{\"score\": 23}\n");
  CHECK(sandbox.read("outputs/p/s/x=1,seed=1/early/t.txt") == "hello\n");
  CHECK(lines(sandbox.read("outputs/p/s/trials/table.csv")).front() ==
        "x,seed,trial,last.late,work.score");
  CHECK_THAT(sandbox.read("outputs/p/s/sum/sum.csv"),
             ContainsSubstring("x=1,seed=1 x=1,seed=2 x=1,seed=3 x=2,seed=1"));

  CHECK(sandbox.headway({"sweep", "p.yaml"}).exit_code == 0);
  CHECK(sandbox.ran().empty());
  CHECK(sandbox.headway({"run", "p.yaml", "--set", "x=2", "--set", "seed=3"}).exit_code == 0);
  CHECK(sandbox.ran().empty());

  sandbox.replace("p.yaml", "x: [1, 2],", "x: [1, 2, 3],");
  CHECK(sandbox.headway({"sweep", "p.yaml", "s"}).exit_code == 0);
  CHECK(sandbox.ran() == sorted(Words{"sum"} + work({"3 1", "3 2", "3 3"}) +
                                work({"3 1 0", "3 2 0", "3 3 0"}, "last")));
  // A parameter that only the last stage uses.
  CHECK(sandbox.headway({"sweep", "p.yaml", "--axis", "late=1,2"}).exit_code == 0);
  CHECK(sandbox.ran() == work({"1 1 1", "1 1 2"}, "last"));

  sandbox.replace("p.yaml", "x: [1, 2, 3],", "x: [1],");
  CHECK(sandbox.headway({"sweep", "p.yaml", "s"}).exit_code == 0);
  CHECK(sandbox.ran() == Words{"sum"});
  CHECK(sandbox.list("outputs/p/s") ==
        Words{"sum", "trace.json", "trials", "x=1,seed=1", "x=1,seed=2", "x=1,seed=3"});
  CHECK(sandbox.headway({"verify"}).exit_code == 0);
}

TEST_CASE("one failed trial does not stop the others") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kSweep);
  const Outcome outcome = sandbox.headway({"sweep", "p.yaml", "s", "--axis", "x=13,1"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 1);
  CHECK(sandbox.ran() ==
        sorted(Words{"early", "sum"} + work({"1 1", "1 2", "1 3"}) +
               work({"13 1", "13 2", "13 3"}) + work({"1 1 0", "1 2 0", "1 3 0"}, "last")));
  CHECK_THAT(outcome.out, ContainsSubstring("3 of 6 trials finished, 3 failed"));
  CHECK_THAT(sandbox.read("outputs/p/s/trials/table.csv"),
             ContainsSubstring("13,1,\"x=13,seed=1\",,\n"));
  // Only the unlucky ones are retried.
  CHECK(sandbox.headway({"sweep", "p.yaml", "s", "--axis", "x=13,1"}).exit_code == 1);
  CHECK(sandbox.ran() == work({"13 1", "13 2", "13 3"}));
}

TEST_CASE("a missed expectation stops the rest of its trial, and one that warns does not") {
  const Sandbox sandbox;
  std::string yaml = kSweep;
  const std::string outs = "outs: {metrics: metrics.json}\n";
  yaml.insert(yaml.find(outs) + outs.size(), "    expect: {score: [\"< 30\", {warn: \"< 22\"}]}\n");
  // Not behind `work`, so only its trial connects them.
  yaml.insert(yaml.find("sweeps:"),
              "  beside: {uses: shell, needs: [early], outs: {t: t.txt}, with: {run: "
              "\"sleep 0; echo beside ${x} ${seed} >> ran.txt; echo > {out.t}\"}}\n");
  sandbox.write("p.yaml", yaml);
  const Outcome outcome =
      sandbox.headway({"sweep", "p.yaml", "--axis", "x=1,2,3", "--axis", "seed=1", "-j1"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 1);
  const Words ran = sandbox.ran();
  CHECK(std::ranges::count(ran, "beside 2 1") == 1);
  CHECK(std::ranges::count(ran, "last 2 1 0") == 1);
  CHECK(std::ranges::count(ran, "beside 3 1") == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("x=1,seed=1: work.score 11"));
  CHECK_THAT(outcome.all(), ContainsSubstring("expected score < 30, got 31 (p.yaml:"));
  CHECK_THAT(outcome.all(), !ContainsSubstring("expected score < 22, got 21"));

  REQUIRE(sandbox.headway({"run", "p.yaml", "--set", "x=2", "--set", "seed=5"}).exit_code == 0);
  const Outcome again = sandbox.headway({"run", "p.yaml", "--set", "x=2", "--set", "seed=5", "-q"});
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.all(),
             ContainsSubstring("stage 'work' warns: expected score < 22, got 25 (p.yaml:"));
  CHECK_THAT(sandbox.headway({"status", "p.yaml", "--set", "x=2", "--set", "seed=5"}).out,
             ContainsSubstring("work    warning  expected score < 22, got 25 (p.yaml:"));
}

TEST_CASE("named variants are rows, even if they differ only in their seeds") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", std::string(kSweep) + "variants: {two: {seed: 2}, three: {seed: 3}}\n");
  for (const char* variant : {"two", "three"})
    REQUIRE(sandbox.headway({"run", "p.yaml", "--variant", variant}).exit_code == 0);
  const Outcome compared =
      sandbox.headway({"compare", "p.yaml", "--variants", "two,three", "--metrics", "work.score"});
  INFO(compared.all());
  CHECK(
      compared.out.starts_with("variant  seed  work.score\n"
                               "two         2          12\n"
                               "three       3          13\n"));
}

TEST_CASE("a sweep runs the file as it was when the sweep started") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
params: {x: 1}
stages:
  a: {uses: shell, outs: {t: t.txt}, with: {run: "echo a ${x} >> ran.txt; sleep 0.3; echo 1 > {out.t}"}}
  b: {uses: shell, in: {t: a}, outs: {t: t.txt}, with: {run: "echo b ${x} old >> ran.txt; cp {in.t} {out.t}"}}
)");
  const auto sweep = sandbox.start({"sweep", "p.yaml", "--axis", "x=1,2,3,4", "-j1"});
  REQUIRE(eventually([&] { return !sandbox.read("ran.txt").empty(); }));
  sandbox.replace("p.yaml", "old", "new");
  CHECK(sweep->wait().exit_code == 0);
  CHECK(sandbox.ran() ==
        Words{"a 1", "a 2", "a 3", "a 4", "b 1 old", "b 2 old", "b 3 old", "b 4 old"});
}

TEST_CASE("a killed sweep continues with the remaining trials") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
params: {x: 1}
stages:
  a: {uses: shell, outs: {metrics: m.json}, with: {run: "while test -s ran.txt && test $(wc -l < ran.txt) -ge 10 && test ! -e go; do sleep 0.02; done; echo '{\"x\": ${x}}' > {out.metrics}; echo a ${x} >> ran.txt"}}
)");
  const auto sweep = sandbox.start({"sweep", "p.yaml", "--axis", "x=int:1..30", "-j2"});
  REQUIRE(eventually([&] { return lines(sandbox.read("ran.txt")).size() >= 10; }));
  sweep->signal(SIGKILL);
  CHECK(sweep->wait().signal == SIGKILL);
  CHECK(all_end(sandbox));
  const std::size_t ran = sandbox.ran().size();
  CHECK(ran < 30);
  sandbox.write("go", "");
  const Outcome again = sandbox.headway({"sweep", "p.yaml", "--axis", "x=int:1..30"});
  INFO(again.all());
  CHECK(again.exit_code == 0);
  CHECK(sandbox.ran().size() <= 30 - ran + 2);  // two were in the middle
  CHECK(lines(sandbox.headway({"compare", "p.yaml", "--csv"}).out).size() == 31);
  CHECK(sandbox.leftovers().empty());
}

TEST_CASE("mistakes in a sweep are reported before anything runs") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kSweep);
  const auto message = [&](const Words& arguments) {
    const Outcome outcome = sandbox.headway(Words{"sweep", "p.yaml"} + arguments);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  const auto axis = [&](const std::string& text) { return message({"--axis=" + text}); };
  CHECK(axis("y=1,2") == "--axis y=1,2: unknown parameter 'y'; did you mean 'x'?\n");
  CHECK(axis("sed=1") == "--axis sed=1: unknown parameter 'sed'; did you mean 'seed'?\n");
  CHECK(axis("x=a") ==
        "--axis x=a: parameter 'x' is the integer 1; it cannot become the text 'a'\n");
  CHECK(axis("x=") == "--axis x=: axis 'x': the list is empty; give it at least one value\n");
  CHECK(axis("work.rnu=a,b") ==
        "--axis work.rnu=a,b: stage 'work': unknown parameter 'rnu'; did you mean 'run'?\n");
  CHECK(axis("x=int:1..1000") ==
        "headway: sweep 'by-x' has 1000 trials; more than 200 need --yes (--dry-run shows what "
        "would run)\n");
  CHECK_THAT(message({"nope"}), ContainsSubstring("p.yaml: unknown sweep 'nope'"));
  sandbox.replace("p.yaml", "x: [1, 2]", "x: [one]");
  CHECK(message({"s"}) ==
        "p.yaml:21:16: parameter 'x' is the integer 1; it cannot become the text 'one'\n");
  CHECK(sandbox.headway({"validate", "p.yaml"}).err ==
        "p.yaml:21:16: parameter 'x' is the integer 1; it cannot become the text 'one'\n");
  CHECK(sandbox.ran().empty());
}

TEST_CASE("a thousand trials are planned quickly, and their table is readable", "[long]") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
params: {x: 1}
stages:
  a: {uses: shell, outs: {metrics: m.json}, with: {run: "echo '{\"y\": ${x}}' > {out.metrics}"}}
)");
  const Outcome outcome =
      sandbox.headway({"sweep", "p.yaml", "--axis", "x=int:1..1000", "--yes", "--maximize", "a.y"});
  INFO(outcome.all().substr(0, 2000));
  CHECK(outcome.exit_code == 0);
  Words printed = lines(outcome.out);
  std::erase_if(printed, [](const std::string& line) {  // the slower the machine, the more of these
    return line.find(" trials finished") != std::string::npos ||
           line.find(": done in ") != std::string::npos;
  });
  CHECK(printed.size() < 60);
  CHECK_THAT(outcome.out, ContainsSubstring("* 1000  1000"));
  CHECK_THAT(outcome.out, ContainsSubstring("980 more rows"));
  CHECK(lines(sandbox.read("outputs/p/by-x/trials/table.csv")).size() == 1001);
}

TEST_CASE("compare shows differences and results, in four formats") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", std::string(kSweep) + "variants: {two: {x: 2}, more: {late: 5}}\n");
  CHECK_THAT(sandbox.headway({"compare", "p.yaml"}).err,
             ContainsSubstring("sweep 's' has no results with the file as it is now; run: headway "
                               "sweep p.yaml s\n"));
  REQUIRE(sandbox.headway({"sweep", "p.yaml", "s"}).exit_code == 0);
  const Outcome csv = sandbox.headway({"compare", "p.yaml", "--sweep", "s", "--csv"});
  INFO(csv.all());
  REQUIRE(lines(csv.out).size() == 3);
  CHECK(lines(csv.out)[0].starts_with("x,work.score,work.score low,work.score high"));
  CHECK(lines(csv.out)[1].starts_with("2,22,"));
  const Json json = Json::parse(sandbox.headway({"compare", "p.yaml", "--json"}).out);
  CHECK(json.dump().find("work.score") != std::string::npos);
  CHECK_THAT(sandbox.headway({"compare", "p.yaml", "--md"}).out,
             ContainsSubstring("| --- |") || ContainsSubstring("| ---:"));
  CHECK(lines(sandbox.headway({"compare", "p.yaml", "--each", "--csv"}).out).size() == 7);
  const Outcome smallest =
      sandbox.headway({"compare", "p.yaml", "--minimize", "work.score", "--csv"});
  CHECK(lines(smallest.out)[1].starts_with("1,12,"));
  CHECK_THAT(sandbox.headway({"compare", "p.yaml", "--maximize", "work.scoer"}).err,
             ContainsSubstring("did you mean 'work.score'?"));

  // Variants, named by the parameters in which they differ.
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  REQUIRE(sandbox.headway({"run", "p.yaml", "--variant", "two"}).exit_code == 0);
  const Outcome variants = sandbox.headway(
      {"compare", "p.yaml", "--variants", "p,two,more", "--metrics", "work.score", "--csv"});
  INFO(variants.all());
  REQUIRE(lines(variants.out).size() == 4);
  CHECK(lines(variants.out)[0].starts_with("variant,x,late,work.score"));
  const Outcome diff = sandbox.headway({"diff", "p.yaml", "p.yaml@two"});
  INFO(diff.all());
  CHECK_THAT(diff.out, ContainsSubstring("  x          1"));
  CHECK_THAT(diff.out, ContainsSubstring("work.score  11  21  +10"));
  CHECK(sandbox.headway({"diff", "p/s/x=1,seed=1", "outputs/p/s/x=2,seed=2/"}).exit_code == 0);
  CHECK_THAT(sandbox.headway({"diff", "p/s/x=9", "p"}).err,
             ContainsSubstring("sweep 's' has no trial 'x=9'"));
}

TEST_CASE("compare counts variations with the same parameters once") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
params: {a: 1, seed: 1}
stages:
  fixed: {uses: shell, outs: {metrics: m.json}, with: {run: "echo '{\"f\": ${a}}' > {out.metrics}"}}
  one:
    uses: shell
    outs: {metrics: m.json}
    expect: {kept: "> 0"}
    with: {run: "echo '{\"y\": '$((${a} * 10 + ${seed}))', \"kept\": 0.5}' > {out.metrics}"}
variants: {same: {a: 1}, s2: {seed: 2}, big: {a: 7}}
)");
  for (const Words& changes :
       {Words{}, Words{"--variant", "same"}, Words{"--variant", "s2"}, Words{"--set", "seed=2"},
        Words{"--set", "a=5"}, Words{"--set", "a=5", "--set", "seed=3"},
        Words{"--variant", "big", "--set", "a=1"}})
    REQUIRE(sandbox.headway(Words{"run", "p.yaml", "-q"} + changes).exit_code == 0);
  const Json json = Json::parse(sandbox.headway({"compare", "p.yaml", "--json"}).out);
  INFO(json.dump(1));
  CHECK(json.at("axes") == Json{"a"});
  // What is expected comes first, although big has no results and the others agree.
  CHECK(json.at("metrics").at(0) == "one.kept");
  REQUIRE(json.at("rows").size() == 3);
  const Json& plain = json.at("rows").at(0);
  CHECK(plain.at("seeds") == 2);
  CHECK(plain.at("trials") == 2);
  CHECK(plain.at("metrics").at("one.y").at("count") == 2);
  CHECK(plain.at("metrics").at("fixed.f").at("count") == 1);  // does not depend on the seed

  // What ran with --set has a name too, even one with a comma.
  const Outcome named = sandbox.headway(
      {"compare", "p.yaml", "--variants", "p,a=5,a=5,seed=3,same", "--metrics", "one.y"});
  INFO(named.all());
  CHECK(
      named.out.starts_with("variant     a  seed  one.y\n"
                            "p           1     1     11\n"
                            "a=5         5     1     51\n"
                            "a=5,seed=3  5     3     53\n"
                            "same        1     1     11\n"));
  const Outcome unknown = sandbox.headway({"compare", "p.yaml", "--variants", "p,a=6"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, ContainsSubstring("--variants: unknown variant 'a=6'; there are p, same, "
                                            "s2, big, "));
  CHECK_THAT(unknown.err, ContainsSubstring("a=5,seed=3"));
  CHECK_THAT(sandbox.headway({"compare", "p.yaml", "--variants", "p,a=5,p"}).err,
             ContainsSubstring("--variants: 'p' is named twice"));
}

TEST_CASE("without a seed, the same result twice is not two seeds") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
params: {a: 1}
stages:
  one: {uses: shell, outs: {metrics: m.json}, with: {run: "echo '{\"y\": ${a}}' > {out.metrics}"}}
variants: {big: {a: 2}}
)");
  CHECK(sandbox.headway({"compare", "p.yaml"}).err ==
        "headway: these variants have no results with the file as it is now; run: headway run "
        "p.yaml --variant …\n");
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  REQUIRE(sandbox.headway({"run", "p.yaml", "--variant", "big", "--set", "a=1"}).exit_code == 0);
  CHECK(sandbox.headway({"compare", "p.yaml"}).out ==
        "a  one.y\n"
        "1      1\n"
        "2      –\n");
}

TEST_CASE("sweeps over parameters of different stages do not replace each other") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  e: {uses: shell, outs: {t: t.txt}, with: {run: "echo e > {out.t}"}}
  f: {uses: shell, outs: {t: t.txt}, with: {run: "echo f > {out.t}"}}
)");
  for (const char* stage : {"e", "f"}) {
    const std::string axis = std::string(stage) + ".run=echo 1 > {out.t},echo 2 > {out.t}";
    const Outcome outcome = sandbox.headway({"sweep", "p.yaml", "--axis", axis});
    INFO(outcome.all());
    REQUIRE(outcome.exit_code == 0);
  }
  CHECK(sandbox.exists("outputs/p/by-e.run/trials/table.csv"));
  CHECK(sandbox.exists("outputs/p/by-f.run/trials/table.csv"));
  CHECK(sandbox.headway({"status", "p.yaml", "--sweep", "by-e.run"}).exit_code == 0);
}

TEST_CASE("the other verbs treat a sweep as one pipeline, and gc keeps what it needs") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kSweep);
  REQUIRE(sandbox.headway({"sweep", "p.yaml", "--axis", "x=1,2"}).exit_code == 0);
  const Words sweep = {"p.yaml", "--sweep", "by-x"};
  CHECK_THAT(sandbox.headway(Words{"status"} + sweep).out, ContainsSubstring("6 fresh"));
  CHECK_THAT(sandbox.headway({"status"}).out, ContainsSubstring("p/by-x (p.yaml): 6 fresh"));
  CHECK_THAT(sandbox.headway({"why", "p.yaml", "work@x=2", "--sweep", "by-x"}).out,
             ContainsSubstring("is fresh"));
  CHECK_THAT(sandbox.headway({"show", "p.yaml", "--sweep", "by-x"}).out,
             ContainsSubstring("work@x=2"));
  CHECK_THAT(sandbox.headway({"graph", "p.yaml", "--sweep", "by-x"}).out,
             ContainsSubstring("work (shell, 2 items)"));
  CHECK(sandbox.headway({"gc"}).exit_code == 0);
  CHECK(sandbox.headway({"sweep", "p.yaml", "--axis", "x=1,2"}).exit_code == 0);
  CHECK(sandbox.ran() ==
        sorted(Words{"early"} + work({"1 1", "2 1"}) + work({"1 1 0", "2 1 0"}, "last")));
  // x=1 is no longer used.
  CHECK(sandbox.headway({"sweep", "p.yaml", "--axis", "x=2"}).exit_code == 0);
  CHECK(sandbox.headway({"gc"}).exit_code == 0);
  CHECK(sandbox.headway({"sweep", "p.yaml", "--axis", "x=1,2"}).exit_code == 0);
  CHECK(sandbox.ran() == sorted(work({"1 1"}) + work({"1 1 0"}, "last")));
}

TEST_CASE("halving continues without failed trials, and other verbs see its decisions") {
  const Sandbox sandbox;
  // lr=2 fails; lr=3 has no number; lr=4 is best but breaks its expectation.
  sandbox.write("p.yaml", R"(
params: {lr: 1, epochs: 8}
stages:
  train:
    uses: shell
    outs: {metrics: m.json}
    with: {run: "test ${lr} != 2; test ${lr} = 3 && s=null || s=$((${lr} * 10 + ${epochs})); echo '{\"acc\": '$s', \"lr\": ${lr}}' > {out.metrics}"}
    expect: {lr: "!= 4"}
sweeps:
  h: {method: halving, resource: epochs, eta: 2, min: 2, axes: {lr: [1, 2, 3, 4, 0]}, maximize: train.acc}
)");
  const Outcome sweep = sandbox.headway({"sweep", "p.yaml", "h"});
  INFO(sweep.all());
  CHECK(sweep.exit_code == 1);
  CHECK_THAT(sweep.out, ContainsSubstring("successive halving, 3 rungs: 5 with epochs=2, 2 with "
                                          "epochs=4, 1 with epochs=8"));
  CHECK_THAT(sweep.out, ContainsSubstring("! 3 failed"));
  const Outcome compared = sandbox.headway({"compare", "p.yaml", "--csv"});
  INFO(compared.all());
  CHECK(lines(compared.out)[1].starts_with("1,8,18,"));
  CHECK(lines(compared.out).size() == 1 + 1 + 2 + 5);
  CHECK_THAT(sandbox.headway({"status", "p.yaml", "--sweep", "h"}).out, ContainsSubstring("fresh"));
  CHECK(sandbox.headway({"diff", "p/h/lr=1,epochs=8", "p/h/lr=1,epochs=2"}).exit_code == 0);
  CHECK(sandbox.headway({"sweep", "p.yaml", "h"}).exit_code == 1);

  const Outcome nothing = sandbox.headway({"sweep", "p.yaml", "h", "--maximize", "train.nope"});
  CHECK(nothing.exit_code == 1);
  CHECK_THAT(nothing.err, ContainsSubstring("stage 'train' has no metric 'nope'"));
  CHECK_THAT(sandbox.headway({"sweep", "p.yaml", "h", "--axis", "lr=log:1..9"}).err,
             ContainsSubstring("needs to know how many values"));
}

TEST_CASE("a sweep from the command line can be referred to by its name later") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", std::string(kSweep) + "variants: {big: {late: 7}}\n");
  REQUIRE(sandbox.headway({"sweep", "p.yaml", "mine", "--axis", "x=5,6"}).exit_code == 0);
  sandbox.ran();
  CHECK_THAT(sandbox.headway({"sweep", "p.yaml", "mine"}).out, ContainsSubstring("nothing to do"));
  REQUIRE(sandbox.headway({"sweep", "p.yaml", "s", "--variant", "big"}).exit_code == 0);
  for (const char* verb : {"status", "compare", "show"}) {
    const Outcome outcome = sandbox.headway({verb, "p.yaml", "--sweep", "s", "--variant", "big"});
    INFO(outcome.all());
    CHECK(outcome.exit_code == 0);
  }
  CHECK(sandbox.exists("outputs/p/s@big/x=1,seed=1/last/m.json"));
  const Outcome exported =
      sandbox.headway({"export", "ex", "p.yaml", "--sweep", "s", "--variant", "big"});
  INFO(exported.all());
  CHECK(sandbox.read("ex/p/s@big/x=2,seed=3/early/t.txt") == "hello\n");
  sandbox.replace("p.yaml", "  s:\n", "  other:\n");
  CHECK_THAT(sandbox.headway({"gc", "--dry-run"}).out,
             ContainsSubstring("p/s@big: its file has no such sweep"));
  CHECK_THAT(sandbox.headway({"gc", "--forget", "p/mine"}).out, ContainsSubstring("p/mine: "));
  CHECK_FALSE(sandbox.exists("outputs/p/mine"));
  CHECK_FALSE(sandbox.exists("outputs/p/s@big"));
  CHECK(sandbox.headway({"sweep", "p.yaml", "mine"}).exit_code == 2);
}

TEST_CASE("events of a sweep list its trials, one JSON object per line") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kSweep);
  const Outcome outcome = sandbox.headway({"sweep", "p.yaml", "s", "--json"});
  const std::vector<Json> printed = events(outcome.out);
  REQUIRE(!printed.empty());
  CHECK(printed.front().at("trials") == 6);
  Json last;
  for (const Json& event : printed) {
    if (event.at("event") == "trials") last = event;
  }
  CHECK(last.at("finished") == 6);
  CHECK(last.at("left") == 0);
  CHECK(last.at("best") == "x=2,seed=3");
}

}  // namespace
}  // namespace headway::e2e
