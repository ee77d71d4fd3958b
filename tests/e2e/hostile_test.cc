// Names with escape sequences, paths that are too long, streams that are full, damaged files and
// machines without memory: each gives a one-sentence message, and no user data is lost.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>
#include <regex>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::Equals;
using Catch::Matchers::StartsWith;

constexpr const char* kOne =
    "stages:\n  a: {uses: shell, outs: {o: o.txt}, with: {run: \"echo a > {out.o}\"}}\n";

bool has_controls(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) {
    return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
  });
}

Outcome run_in_shell(const Sandbox& sandbox, const std::string& script) {
  return sandbox.sh(script, {.env = {{"HEADWAY", program_path()}}, .folder = {}});
}

TEST_CASE("escape sequences in names never reach the terminal, with any verb") {
  const Sandbox sandbox("\x1b]0;title\x07\x1b[31mfolder");
  sandbox.write("r.md", "{{ table nope }}\n");
  sandbox.write("bad.yaml", R"(params: {"\e[31mp": 1}
stages:
  a: {uses: shell, outs: {"\e[31mq": "\e]0;x\a"}, with: {run: "x", code: ["\e[31mnope"]}}
  r: {uses: report, in: {"\e[31mport": a}, with: {template: r.md}}
variants: {"\e[31mv": {}}
)");
  sandbox.write("p.yaml", R"(params: {"\e[31mp": "\e[31mx"}
stages:
  a: {uses: shell, outs: {o: "\e[31mo.txt"}, with: {run: "printf '\\033[31mred'; echo '${\e[31mp}' > {out.o}", code: ["\e[31mcode"]}}
  b: {uses: shell, in: {x: a}, outs: {o: o.txt}, with: {run: "printf '\\033[31mbad'; exit 3; : {out.o} {in.x}"}}
)");
  sandbox.write("\x1b[31mcode", "text");
  const std::string evil = "\x1b[31mevil";
  for (const Words& words : {Words{"validate", "bad.yaml"},
                             Words{"validate", evil},
                             Words{evil},
                             Words{"--" + evil},
                             Words{"run", "p.yaml", "--set", evil + "=1"},
                             Words{"run", "p.yaml", evil},
                             Words{"run", "p.yaml", "-k"},
                             Words{"run", "p.yaml", "--variant", evil},
                             Words{"run", "p.yaml", "-j", evil},
                             Words{"sweep", "p.yaml", "--axis", evil + "=1,2"},
                             Words{"status"},
                             Words{"status", "p.yaml", "--full"},
                             Words{"why", "p.yaml", "b"},
                             Words{"show"},
                             Words{"show", "p.yaml", "a", "b"},
                             Words{"graph", "p.yaml"},
                             Words{"logs", evil},
                             Words{"compare", "p.yaml"},
                             Words{"diff", evil, "p"},
                             Words{"gc", "--forget", evil},
                             Words{"gc", "--dry-run"},
                             Words{"verify"},
                             Words{"export", evil},
                             Words{"stages", evil},
                             Words{"completion", evil},
                             Words{"status", "--outputs", evil}}) {
    const Outcome outcome = sandbox.headway(words);
    INFO(words.front() << ' ' << words.back() << '\n' << outcome.all());
    CHECK(outcome.signal == 0);
    CHECK_FALSE(has_controls(outcome.all()));
  }
  CHECK(has_controls(sandbox.headway({"logs", "p.yaml", "b"}).out));  // for a program: exactly
}

TEST_CASE("JSON contains names exactly as they are") {
  const Sandbox sandbox("\x1b[31mfolder");
  sandbox.write("p.yaml", kOne);
  const Outcome outcome = sandbox.headway({"run", "p.yaml", "--json"});
  REQUIRE(outcome.exit_code == 0);
  CHECK(events(outcome.out).front().at("outputs") == sandbox.at("outputs").string());
}

TEST_CASE("a path that is too long is a mistake with a location, listed with the others") {
  const Sandbox sandbox;
  const std::string too_long(300, 'x');
  sandbox.write("p.yaml", "include: " + too_long + "\n" +
                              "stages:\n  a: {uses: shell, outs: {o: o}, with: {run: \"{out.o}\", "
                              "code: [" +
                              too_long + "]}}\n  b: {uses: shel}\n");
  const Outcome outcome = sandbox.headway({"validate", "p.yaml", too_long});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 2);
  const Words found = lines(outcome.err);
  REQUIRE(found.size() == 4);
  CHECK_THAT(found[0], StartsWith("p.yaml:1:10: ") && EndsWith(": file name too long"));
  CHECK_THAT(found[1], StartsWith("p.yaml:3:64: ") && EndsWith(": file name too long"));
  CHECK_THAT(found[2], StartsWith("p.yaml:4:13: stage 'b': unknown stage type 'shel'"));
  CHECK_THAT(found[3], StartsWith("headway: cannot look at xxx"));
}

TEST_CASE("unwritable standard output gives exit code 1, with any verb") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kOne);
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  for (const char* verb :
       {"stages", "--help", "run --help", "--version", "run p.yaml", "status", "run p.yaml --json",
        "graph p.yaml --dot", "completion bash", "verify"}) {
    const Outcome outcome =
        run_in_shell(sandbox, std::string("\"$HEADWAY\" ") + verb + " > /dev/full");
    INFO(verb << '\n' << outcome.err);
    CHECK(outcome.exit_code == 1);
    CHECK_THAT(outcome.err, StartsWith("headway: standard output could not be written as a whole"));
  }
  CHECK(run_in_shell(sandbox, "\"$HEADWAY\" validate no.yaml > /dev/full").exit_code == 2);
}

TEST_CASE("a reader that goes away is not a failure, and a full standard error does not crash") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kOne);
  for (const char* verb : {"stages", "--help", "run p.yaml", "status"}) {
    const Outcome outcome = run_in_shell(
        sandbox, "rm -f gone; (until test -e gone; do sleep 0.01; done; \"$HEADWAY\" " +
                     std::string(verb) + "; echo $? > code) | { exec <&-; touch gone; }; cat code");
    INFO(verb);
    CHECK(outcome.out == "0\n");
    CHECK(outcome.err == "");
  }
  const Outcome full = run_in_shell(sandbox, "\"$HEADWAY\" validate no.yaml 2> /dev/full");
  CHECK(full.signal == 0);
  CHECK(full.exit_code == 2);
}

TEST_CASE("no message is the raw text of an internal exception") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kOne);
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  const Outcome empty = sandbox.headway({"run", "p.yaml", "--outputs", ""});
  CHECK(empty.exit_code == 2);
  CHECK(empty.err == "headway: --outputs expects the name of a folder, got none\n");
  const Outcome diff = sandbox.headway({"diff", "", ""});
  CHECK(diff.exit_code == 2);
  const Outcome nothing = sandbox.headway({"validate", ""});
  CHECK(nothing.exit_code == 2);
  CHECK_THAT(nothing.err, ContainsSubstring("no such file"));
  const Outcome gone = run_in_shell(
      sandbox, "mkdir x; cd x; rmdir ../x; \"$HEADWAY\" run ../p.yaml; \"$HEADWAY\" status");
  CHECK(gone.exit_code == 1);
  CHECK_THAT(gone.err, ContainsSubstring("headway: the folder that headway was called in is gone"));
  for (const std::string& run : sandbox.list("outputs/.headway/runs"))
    sandbox.write("outputs/.headway/runs/" + run + "/summary.json",
                  R"({"pipeline": 5, "exit_code": "x", "done": null, "seconds": {}})");
  const Outcome show = sandbox.headway({"show"});
  CHECK(show.exit_code == 0);
  for (const Outcome& outcome : {empty, diff, nothing, gone, show}) {
    INFO(outcome.all());
    for (const char* raw : {"filesystem error", "json.exception", "yaml-cpp", "std::", "[]"})
      CHECK(outcome.all().find(raw) == std::string::npos);
  }
}

TEST_CASE("running out of threads or memory is a clear failure, and does no harm") {
  skip_unless_memory_can_be_limited();
  const Sandbox sandbox;
  sandbox.write("p.yaml", kOne);
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  std::size_t refused = 0;
  for (int kilobytes = 10'000; kilobytes <= 80'000; kilobytes += 2'500) {
    const Outcome outcome =
        run_in_shell(sandbox, "ulimit -v " + std::to_string(kilobytes) +
                                  "; exec \"$HEADWAY\" run p.yaml --force -q -j 4");
    INFO(kilobytes << " kB\n" << outcome.all());
    CHECK(outcome.signal == 0);
    CHECK(outcome.exit_code != 134);
    refused += outcome.err.starts_with("headway: cannot start a thread: ");
    if (outcome.exit_code == 1) CHECK_FALSE(outcome.all().empty());
  }
  CHECK(refused > 0);
  CHECK(sandbox.headway({"verify"}).exit_code == 0);
  CHECK(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(sandbox.read("outputs/p/a/o.txt") == "a\n");
}

TEST_CASE("export copies links inside folders as links") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  a: {uses: shell, outs: {d: d}, with: {run: "mkdir -p {out.d}/in; echo t > {out.d}/t; ln -s nowhere {out.d}/dangling; ln -s ../t {out.d}/in/t"}}
)");
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  const Outcome outcome = sandbox.headway({"export", "ex"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(std::filesystem::read_symlink(sandbox.at("ex/p/a/d/dangling")) == "nowhere");
  CHECK(std::filesystem::read_symlink(sandbox.at("ex/p/a/d/in/t")) == "../t");
  CHECK(sandbox.read("ex/p/a/d/in/t") == "t\n");
}

// Changes the contents of an object without changing its stamp.
void rot(const Path& object) {
  const auto before = std::filesystem::last_write_time(object);
  std::filesystem::permissions(object, std::filesystem::perms::owner_write,
                               std::filesystem::perm_options::add);
  std::fstream(object, std::ios::in | std::ios::out) << "X";
  std::filesystem::last_write_time(object, before);
}

TEST_CASE("export never copies a damaged result") {
  const Sandbox sandbox;
  sandbox.write(
      "p.yaml",
      kOne +
          std::string("  b: {uses: shell, outs: {o: o.txt}, with: {run: \"echo b > {out.o}\"}}\n"));
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  rot(std::filesystem::canonical(sandbox.at("outputs/p/a/o.txt")));
  const Outcome outcome = sandbox.headway({"export", "ex"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err, StartsWith("p: a: left out: "));
  CHECK_FALSE(sandbox.exists("ex/p/a/o.txt"));
  CHECK(sandbox.read("ex/p/b/o.txt") == "b\n");
}

TEST_CASE("the user's own links and folders in outputs/ stay") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kOne);
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  std::filesystem::create_symlink("/other/.headway/x", sandbox.at("outputs/p/a/mine"));
  std::filesystem::create_directory(sandbox.at("outputs/p/a/folder"));
  sandbox.replace("p.yaml", "o.txt", "new.txt");
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(sandbox.list("outputs/p/a") == Words{"folder", "mine", "new.txt"});
}

}  // namespace
}  // namespace headway::e2e
