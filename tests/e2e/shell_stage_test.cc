// The shell stage from a user's view: the environment of its command, and what counts as success.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <regex>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("a timeout ends the whole process group") {
  const Sandbox sandbox;
  std::string pid;
  for (int seconds = 1; pid.empty() && seconds < 100; seconds *= 2) {  // unless it was too slow
    const std::string time = std::to_string(seconds) + "s";
    sandbox.write("p.yaml", R"(
stages:
  slow:
    uses: shell
    outs: {t: t.txt}
    timeout: )" + time + R"(
    with:
      run: |
        sleep 300 & echo $! > background.pid
        sleep 300
        echo > {out.t}
)");
    const Outcome outcome = sandbox.headway({"run", "p.yaml"});
    INFO(outcome.all());
    CHECK(outcome.exit_code == 1);
    CHECK_THAT(outcome.out, ContainsSubstring("timed out after " + std::to_string(seconds)));
    pid = sandbox.read("background.pid");
  }
  REQUIRE(pid.ends_with('\n'));
  CHECK(eventually([&] { return !is_running(std::stoi(pid)); }));
  CHECK(sandbox.leftovers().empty());
}

TEST_CASE("what a stage leaves running in the background is ended with it") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  a: {uses: shell, outs: {t: t.txt}, with: {run: "sleep 300 & echo $! > {out.t}"}}
)");
  CHECK(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  const std::string pid = sandbox.read("outputs/p/a/t.txt");
  REQUIRE_FALSE(pid.empty());
  CHECK(eventually([&] { return !is_running(std::stoi(pid)); }));
}

TEST_CASE("retries stop at the first success") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
params: {needed: 3}
stages:
  flaky:
    uses: shell
    outs: {t: t.txt}
    retries: 2
    with: {run: "echo try >> ran.txt; test $(wc -l < ran.txt) -ge ${needed}; echo made > {out.t}"}
)");
  const Outcome outcome = sandbox.headway({"run", "p.yaml", "--json"});
  CHECK(outcome.exit_code == 0);
  CHECK(sandbox.ran().size() == 3);
  std::vector<int> attempts;
  for (const Json& event : events(outcome.out)) {
    if (event.at("event") == "stage-started") attempts.push_back(event.at("attempt"));
  }
  CHECK(attempts == std::vector<int>{1, 2, 3});
  CHECK(sandbox.headway({"run", "p.yaml", "--set", "needed=9"}).exit_code == 1);
  CHECK(sandbox.ran().size() == 3);
}

TEST_CASE("the log keeps what each attempt printed, and the failure shows the last one") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  flaky:
    uses: shell
    outs: {t: t.txt}
    retries: 2
    with: {run: "echo try >> ran.txt; echo this is $(wc -l < ran.txt); test -e enough; echo made > {out.t}"}
)");
  const auto without_times = [](const std::string& text) {
    return std::regex_replace(text, std::regex("([0-9-]{10} )?[0-9]{2}:[0-9]{2}:[0-9]{2}"), "TIME");
  };
  const Outcome failed = sandbox.headway({"run", "p.yaml"});
  CHECK(failed.exit_code == 1);
  CHECK_THAT(failed.out, ContainsSubstring("last lines of its log:\n    this is 3\n") &&
                             !ContainsSubstring("this is 2"));
  const std::string three =
      "this is 1\n--- attempt 2 of 3, TIME ---\nthis is 2\n"
      "--- attempt 3 of 3, TIME ---\nthis is 3\n";
  CHECK(without_times(sandbox.headway({"logs", "flaky"}).out) == three);
  sandbox.write("enough", "");
  CHECK(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(without_times(sandbox.headway({"logs", "flaky"}).out) ==
        three + "--- run again, TIME ---\nthis is 4\n");
}

TEST_CASE("a command's progress is among the events of a run") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  slow:
    uses: shell
    outs: {t: t.txt}
    with:
      run: |
        printf '\r  0%%|   |\r 25%%|#  |'
        while ! test -e first; do sleep 0.05; done
        printf '\n'; echo 'headway: progress 0.75 almost'
        while ! test -e second; do sleep 0.05; done
        echo made > {out.t}
)");
  const auto run = sandbox.start({"run", "p.yaml", "--json"});
  const auto saw = [&](const std::string& text) {
    return eventually([&] { return run->out_so_far().find(text) != std::string::npos; });
  };
  CHECK(saw("\"fraction\":0.25"));
  sandbox.write("first", "");
  CHECK(saw("\"fraction\":0.75"));
  sandbox.write("second", "");
  const Outcome outcome = run->wait();
  CHECK(outcome.exit_code == 0);
  std::vector<Json> progress;
  for (const Json& event : events(outcome.out)) {
    if (event.at("event") == "stage-progress") progress.push_back(event);
  }
  REQUIRE(progress.size() == 2);
  CHECK(progress[0].at("fraction") == 0.25);
  CHECK(progress[0].at("words") == "25%|#  |");
  CHECK(progress[1].at("fraction") == 0.75);
  CHECK(progress[1].at("words") == "almost");
  CHECK(sandbox.headway({"logs", "slow"}).out ==
        "\r  0%|   |\r 25%|#  |\nheadway: progress 0.75 almost\n");
}

TEST_CASE("an unlisted variable is not visible, and a listed one is part of the key") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  see:
    uses: shell
    outs: {t: t.txt}
    with:
      env: [LISTED]
      run: |
        echo see >> ran.txt
        (printenv LISTED || echo no) > {out.t}
        (printenv SECRET || echo no) >> {out.t}
)");
  const auto run = [&](const std::string& listed, const std::string& secret) {
    CHECK(sandbox
              .headway({"run", "p.yaml"}, {.env = {{"LISTED", listed}, {"SECRET", secret}},
                                           .folder = {},
                                           .close_stdin = false})
              .exit_code == 0);
    return sandbox.read("outputs/p/see/t.txt");
  };
  CHECK(run("one", "x") == "one\nno\n");
  CHECK(run("one", "y") == "one\nno\n");
  CHECK(sandbox.ran().size() == 1);
  CHECK(run("two", "y") == "two\nno\n");
  CHECK(sandbox.ran().size() == 1);
  CHECK(sandbox.headway({"run", "p.yaml"}).exit_code == 0);  // not set
  CHECK(sandbox.read("outputs/p/see/t.txt") == "no\nno\n");
}

TEST_CASE("changing a code file, or a file in a code folder, reruns the stage") {
  const Sandbox sandbox;
  sandbox.write("tools/count.sh", "echo counted");
  sandbox.write("tools/deep/data.txt", "1");
  sandbox.write("one.sh", "echo one");
  sandbox.write("p.yaml", R"(
stages:
  a:
    uses: shell
    outs: {t: t.txt}
    with: {code: [tools, one.sh], run: "echo a >> ran.txt; sh tools/count.sh > {out.t}; sh one.sh >> {out.t}"}
)");
  const auto runs = [&] {
    CHECK(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
    return sandbox.ran().size();
  };
  CHECK(runs() == 1);
  CHECK(runs() == 0);
  sandbox.write("one.sh", "echo ONE");  // same size
  CHECK(runs() == 1);
  CHECK(sandbox.read("outputs/p/a/t.txt") == "counted\nONE\n");
  sandbox.write("tools/deep/data.txt", "2");
  CHECK(runs() == 1);
  sandbox.write("tools/deep/new.txt", "");
  CHECK(runs() == 1);
  std::filesystem::remove(sandbox.at("tools/deep/new.txt"));
  CHECK(runs() == 0);  // as it was
  CHECK(sandbox.sh("touch one.sh tools/deep/data.txt").exit_code == 0);
  CHECK(runs() == 0);  // only the time changed, not the contents
  std::filesystem::remove(sandbox.at("one.sh"));
  CHECK(sandbox.headway({"run", "p.yaml"}).exit_code == 2);
}

TEST_CASE("an output that is missing, a link or a bad metrics file fails the stage") {
  const Sandbox sandbox;
  const auto fails = [&](const std::string& outputs, const std::string& run,
                         const std::string& message) {
    sandbox.write("p.yaml", "stages:\n  a:\n    uses: shell\n    outs: " + outputs +
                                "\n    with: {run: \"" + run + "\"}\n");
    const Outcome outcome = sandbox.headway({"run", "p.yaml"});
    INFO(outcome.all());
    CHECK(outcome.exit_code == 1);
    CHECK_THAT(outcome.out, ContainsSubstring(message));
    CHECK_FALSE(sandbox.exists("outputs/p/a"));
    CHECK(sandbox.leftovers().empty());
  };
  fails("{t: t.txt, u: u.txt}", "echo > {out.t}; : {out.u}", "output 'u' was not written");
  fails("{t: t.txt}", "ln -s /etc/hostname {out.t}", "output 't' is neither a file nor a folder");
  fails("{metrics: m.json}", "echo '{nonsense' > {out.metrics}", "output 'metrics' is not JSON");
  fails("{t: t.txt}", "false; echo > {out.t}", "exit code 1");
  fails("{t: t.txt}", "echo > {out.t}; kill -SEGV $$", "killed by signal 11");
}

TEST_CASE("an output path that leaves the stage's folder is refused") {
  const Sandbox sandbox;
  for (const std::string name :
       {"../up.txt", "a/../../up.txt", "/tmp/absolute.txt", ".", "..", "''"}) {
    INFO(name);
    sandbox.write("p.yaml", "stages:\n  a: {uses: shell, outs: {t: " + name +
                                "}, with: {run: \"echo > {out.t}\"}}\n");
    const Outcome outcome = sandbox.headway({"run", "p.yaml"});
    CHECK(outcome.exit_code == 2);
    CHECK_THAT(outcome.err, ContainsSubstring("p.yaml:2:") &&
                                ContainsSubstring("is not a file inside the stage's folder"));
    CHECK_FALSE(sandbox.exists("outputs"));
  }
}

TEST_CASE("folders with spaces, quotes and other special characters work everywhere") {
  const Sandbox sandbox("it's a \"$HOME\" of `its` own; 100 % ünusual & {out.t}\\n");
  sandbox.write("my pipe's/p.yaml", R"(
stages:
  a: {uses: shell, outs: {t: sub folder/it's.txt}, with: {run: "echo a > {out.t}"}}
  b: {uses: shell, matrix: {i: [1, 2]}, in: {t: a}, outs: {t: t.txt}, with: {run: "cat {in.t} > {out.t}; pwd >> {out.t}; echo ${matrix.i} >> {out.t}"}}
  c: {uses: shell, in: {t: "b@*"}, outs: {t: t.txt}, with: {run: "for f in {in.t}; do tail -n 1 \"$f\"; done > {out.t}; echo {items.t} >> {out.t}"}}
)");
  const Outcome outcome =
      sandbox.headway({"run", "my pipe's/p.yaml", "--outputs", "out put's \"x\""});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK(sandbox.read("out put's \"x\"/p/a/sub folder/it's.txt") == "a\n");
  CHECK(sandbox.read("out put's \"x\"/p/c/t.txt") == "1\n2\n1 2\n");
  CHECK(sandbox.read("out put's \"x\"/p/b@1/t.txt") ==
        "a\n" + sandbox.at("my pipe's").string() + "\n1\n");
  CHECK(sandbox.headway({"verify", "--outputs", "out put's \"x\""}).exit_code == 0);
  CHECK_THAT(sandbox.headway({"status", "--outputs", "out put's \"x\""}).out,
             ContainsSubstring("4 fresh"));
}

TEST_CASE("a fan-in of 3,000 items works although its command exceeds the kernel's limit",
          "[long]") {
  const Sandbox sandbox;
  std::string items;
  for (int i = 0; i < 3000; ++i) items += (i ? ", " : "") + std::to_string(i);
  sandbox.write("p.yaml", R"(
stages:
  one:
    uses: shell
    outs: {t: t.txt}
    with: {run: "seq 0 2999 > {out.t}"}
  part:
    uses: shell
    matrix: {i: [)" + items + R"(]}
    in: {t: one}
    outs: {t: t.txt}
    with: {run: "echo ${matrix.i} > {out.t}"}
  all:
    uses: shell
    in: {parts: "part@*", one: one}
    outs: {t: t.txt}
    with:
      run: |
        set -- {items.parts}
        test $# = 3000
        cat {in.parts} > {out.t}
        cmp {out.t} {in.one}
)");
  const Outcome outcome = sandbox.headway({"run", "p.yaml", "-q"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK(lines(sandbox.read("outputs/p/all/t.txt")).size() == 3000);
  CHECK_THAT(sandbox.headway({"run", "p.yaml"}).out,
             ContainsSubstring("nothing to do, 3002 fresh"));
}

TEST_CASE("outputs may be folders, and a change inside one reaches its consumers") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
params: {inner: 1}
stages:
  tree:
    uses: shell
    outs: {site: site/}
    with:
      run: |
        echo tree >> ran.txt
        mkdir -p {out.site}/a/b {out.site}/empty
        echo ${inner} > {out.site}/a/b/x.txt
        ln -s a/b/x.txt {out.site}/link
  list:
    uses: shell
    in: {site: tree}
    outs: {t: t.txt}
    with: {run: "echo list >> ran.txt; cat {in.site}/link > {out.t}; test -d {in.site}/empty"}
)");
  Outcome outcome = sandbox.headway({"run", "p.yaml"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK(sandbox.ran() == Words{"list", "tree"});
  CHECK(sandbox.read("outputs/p/tree/site/a/b/x.txt") == "1\n");
  CHECK(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(sandbox.ran().empty());
  CHECK(sandbox.headway({"run", "p.yaml", "--set", "inner=2"}).exit_code == 0);
  CHECK(sandbox.ran() == Words{"list", "tree"});
  CHECK(sandbox.headway({"verify"}).exit_code == 0);
  outcome = sandbox.headway({"export", "copy"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK(sandbox.read("copy/p/inner=2/tree/site/a/b/x.txt") == "2\n");
  CHECK(sandbox.read("copy/p/inner=2/tree/site/link") == "2\n");
  CHECK(sandbox.read("copy/p/tree/site/link") == "1\n");
  // The copies are the user's: they can be changed and removed.
  CHECK(sandbox.sh("echo 3 > copy/p/tree/site/a/b/x.txt && rm -r copy").exit_code == 0);
}

TEST_CASE("an unmet expectation fails the run visibly and keeps the result") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
params: {bar: 0.9}
stages:
  score:
    uses: shell
    outs: {metrics: m.json}
    with: {run: "echo score >> ran.txt; echo '{\"accuracy\": 0.95, \"by\": {\"n\": 3}}' > {out.metrics}"}
    expect: {accuracy: ">= ${bar}", by.n: 3}
  after:
    uses: shell
    in: {m: score}
    outs: {t: t.txt}
    with: {run: "echo after >> ran.txt; cat {in.m} > {out.t}"}
)");
  CHECK(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(sandbox.ran() == Words{"after", "score"});
  const Outcome outcome = sandbox.headway({"run", "p.yaml", "--set", "bar=0.99"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.all(), ContainsSubstring("expected accuracy >= 0.99, got 0.95"));
  CHECK(sandbox.ran().empty());
  CHECK_THAT(sandbox.headway({"show", "p.yaml"}).out, ContainsSubstring("accuracy=0.95"));
  CHECK(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(sandbox.ran().empty());
}

}  // namespace
}  // namespace headway::e2e
