// Attempts to get a wrong result that is reported as fresh. None may succeed.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

// Runs the program as root or as an ordinary user, in a sandbox that both may write.
class User {
 public:
  User(const Sandbox& sandbox, bool root) : sandbox_(sandbox) {
    if (root || ::geteuid() != 0) return;
    REQUIRE(sandbox.sh("chmod 755 ..; chmod 777 .").exit_code == 0);
    before_ = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
  }
  Outcome headway(const Words& arguments) const {
    Words command = before_;
    command.push_back(program_path());
    command.insert(command.end(), arguments.begin(), arguments.end());
    return sandbox_.program(command, {.env = {{"HOME", "/"}}});
  }

 private:
  const Sandbox& sandbox_;
  Words before_;
};

// `b` does something to its input, which `c` reads later.
std::string with_command(const std::string& command) {
  return R"(
stages:
  a: {uses: shell, outs: {o: o.txt}, with: {run: "echo good > {out.o}"}}
  b: {uses: shell, in: {x: a}, outs: {o: o.txt}, with: {run: ")" +
         command + R"("}}
  c: {uses: shell, in: {x: a}, needs: [b], outs: {o: o.txt}, with: {run: "cat {in.x} > {out.o}"}}
)";
}

// Whether the stage's last result is reported as fresh.
bool is_fresh(const User& user, const std::string& stage) {
  const Outcome why = user.headway({"why", "p.yaml", stage});
  return why.out.find("is fresh") != std::string::npos;
}

void replace_input(bool root) {
  const Sandbox sandbox;
  const User user(sandbox, root);
  sandbox.write("p.yaml", with_command("sed -i s/good/BAD/ {in.x}; wc -c < {in.x} > {out.o}"));
  for (int i = 0; i < 2; ++i) {
    const Outcome run = user.headway({"run", "p.yaml"});
    INFO(run.all());
    if (is_fresh(user, "a")) CHECK(sandbox.read("outputs/p/a/o.txt") == "good\n");
    if (is_fresh(user, "c")) CHECK(sandbox.read("outputs/p/c/o.txt") == "good\n");
  }
  CHECK(is_fresh(user, "c"));
  CHECK(sandbox.read("outputs/p/c/o.txt") == "good\n");
  CHECK(user.headway({"verify"}).exit_code == 0);
}

TEST_CASE("a stage that replaces its input with another file does no harm") {
  replace_input(false);
}

TEST_CASE("a stage running as root that replaces its input with another file does no harm") {
  if (::geteuid() != 0) SKIP("needs root");
  replace_input(true);
}

// `b` changes the contents of its input: it fails, and once it no longer does that, everything is
// right.
void change_input(bool root, const std::string& command) {
  CAPTURE(root, command);
  const Sandbox sandbox;
  const User user(sandbox, root);
  sandbox.write("p.yaml", with_command(command));
  for (int i = 0; i < 2; ++i) {
    const Outcome run = user.headway({"run", "p.yaml"});
    INFO(run.all());
    CHECK(run.exit_code == 1);
    CHECK_THAT(run.all(), ContainsSubstring("stage 'b'") && ContainsSubstring("input 'x'"));
    CHECK_FALSE(is_fresh(user, "b"));
    CHECK_FALSE(is_fresh(user, "c"));
    if (is_fresh(user, "a")) CHECK(sandbox.read("outputs/p/a/o.txt") == "good\n");
  }
  sandbox.write("p.yaml", with_command("cat {in.x} > {out.o}"));
  const Outcome right = user.headway({"run", "p.yaml"});
  INFO(right.all());
  CHECK(right.exit_code == 0);
  for (const char* stage : {"a", "b", "c"})
    CHECK(sandbox.read(Path("outputs/p") / stage / "o.txt") == "good\n");
  CHECK(user.headway({"verify"}).exit_code == 0);
}

TEST_CASE("a stage that changes the contents of its input fails, and the input is repaired") {
  change_input(false, "chmod u+w {in.x}; echo BAD > {in.x}; echo b > {out.o}");
  change_input(false, "chmod u+w {in.x}; echo BAD > {in.x}; echo good > {in.x}; echo b > {out.o}");
  if (::geteuid() == 0) change_input(true, "echo x >> {in.x}; wc -c < {in.x} > {out.o}");
}

TEST_CASE("a stage that changes a folder it reads fails, and the folder is repaired") {
  const bool is_root = ::geteuid() == 0;
  for (const bool root : is_root ? std::vector<bool>{false, true} : std::vector<bool>{false}) {
    const Sandbox sandbox;
    const User user(sandbox, root);
    sandbox.write("p.yaml", R"(
stages:
  a: {uses: shell, outs: {d: d}, with: {run: "mkdir -p {out.d}/deep; echo good > {out.d}/deep/f"}}
  b: {uses: shell, in: {d: a}, outs: {o: o.txt}, with: {run: "chmod -R u+w {in.d}/; sed -i s/good/BAD/ {in.d}/deep/f; echo b > {out.o}"}}
  c: {uses: shell, in: {d: a}, outs: {o: o.txt}, with: {run: "cat {in.d}/deep/f > {out.o}"}}
)");
    const Outcome failed = user.headway({"run", "p.yaml", "b"});
    INFO(failed.all());
    CHECK(failed.exit_code == 1);
    CHECK_THAT(failed.all(), ContainsSubstring("stage 'b'") && ContainsSubstring("input 'd'"));
    const Outcome run = user.headway({"run", "p.yaml", "c"});
    INFO(run.all());
    CHECK(run.exit_code == 0);
    CHECK(sandbox.read("outputs/p/c/o.txt") == "good\n");
    CHECK(user.headway({"verify"}).exit_code == 0);
  }
}

TEST_CASE("the names of inputs are part of the key only for a command that uses them") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  a: {uses: shell, matrix: {k: [small, big]}, outs: {o: o.txt}, with: {run: "echo same > {out.o}"}}
  named: {uses: shell, in: {x: a@small}, outs: {o: o.txt}, with: {run: "echo {items.x} > {out.o}"}}
  other: {uses: shell, in: {x: a@small}, outs: {o: o.txt}, with: {run: "echo other >> ran.txt; cat {in.x} > {out.o}"}}
)");
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  const std::string small = sandbox.read("outputs/p/named/o.txt");
  CHECK(sandbox.ran() == Words{"other"});
  sandbox.replace("p.yaml", "a@small", "a@big");
  sandbox.replace("p.yaml", "a@small", "a@big");
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(sandbox.read("outputs/p/named/o.txt") != small);
  CHECK(sandbox.ran().empty());
  REQUIRE(sandbox.headway({"run", "p.yaml", "--outputs", "new"}).exit_code == 0);
  CHECK(sandbox.read("outputs/p/named/o.txt") == sandbox.read("new/p/named/o.txt"));
}

// A stage that waits for the test before it reads the files in `code`, so that the test can change
// them.
std::string reading(const std::string& code) {
  return R"(
stages:
  a: {uses: shell, outs: {o: o.txt}, with: {run: "touch started; while test ! -e go; do sleep 0.01; done; cat src/* > {out.o}", code: [)" +
         code + "]}}\n";
}

void edit_while_running(const std::string& edit, const std::string& code) {
  CAPTURE(edit, code);
  const Sandbox sandbox;
  sandbox.write("p.yaml", reading(code));
  sandbox.write("src/tool.txt", "one\n");
  const auto run = sandbox.start({"run", "p.yaml"});
  REQUIRE(eventually([&] { return sandbox.exists("started"); }));
  REQUIRE(sandbox.sh(edit).exit_code == 0);
  sandbox.write("go", "");
  const Outcome edited = run->wait();
  INFO(edited.all());
  CHECK(edited.exit_code == 1);
  CHECK_THAT(edited.all(), ContainsSubstring("stage 'a'") && ContainsSubstring(code + " was"));

  REQUIRE(sandbox.sh("rm -r src; mkdir src; echo one > src/tool.txt").exit_code == 0);
  const Outcome again = sandbox.headway({"run", "p.yaml"});
  INFO(again.all());
  CHECK(again.exit_code == 0);
  CHECK(sandbox.read("outputs/p/a/o.txt") == "one\n");
}

TEST_CASE("a stage whose code is edited while it runs fails and names the edited file") {
  for (const char* code : {"src/tool.txt", "src"}) {
    edit_while_running("echo two > src/tool.txt", code);
    edit_while_running("echo two > new; mv new src/tool.txt", code);
    edit_while_running("rm src/tool.txt; echo two > src/new.txt", code);
  }
  edit_while_running("echo two > src/new.txt", "src");
}

TEST_CASE("a stage whose code is edited and restored while it runs fails too") {
  for (const char* code : {"src/tool.txt", "src"}) {
    edit_while_running("echo two > src/tool.txt; echo one > src/tool.txt", code);
    edit_while_running(
        "touch -r src/tool.txt time; echo two > src/tool.txt; echo one > src/tool.txt; "
        "touch -r time src/tool.txt",
        code);
  }
  edit_while_running("echo two > src/new.txt; rm src/new.txt", "src");
}

TEST_CASE("two pipeline files of the same name do not share a results folder") {
  const Sandbox sandbox;
  for (const char* n : {"1", "2"}) {
    sandbox.write(Path(std::string("exp") + n) / "pipeline.yaml",
                  "stages: {train: {uses: shell, outs: {o: o.txt}, with: {run: 'echo " +
                      std::string(n) + " > {out.o}'}}}\n");
  }
  REQUIRE(sandbox.headway({"run", "exp1/pipeline.yaml"}).exit_code == 0);
  const Outcome second = sandbox.headway({"run", "exp2/pipeline.yaml"});
  INFO(second.all());
  CHECK(second.exit_code == 2);
  CHECK_THAT(second.err, ContainsSubstring("exp1/pipeline.yaml") &&
                             ContainsSubstring("exp2/pipeline.yaml") && ContainsSubstring("name"));
  CHECK(sandbox.read("outputs/pipeline/train/o.txt") == "1\n");
  CHECK(sandbox.headway({"gc"}).exit_code == 0);
  CHECK_THAT(sandbox.headway({"status", "exp1/pipeline.yaml"}).out, ContainsSubstring("1 fresh"));

  // A separate name or a separate store solves it.
  CHECK(sandbox.headway({"run", "exp2/pipeline.yaml", "--outputs", "other"}).exit_code == 0);
  CHECK(sandbox.read("other/pipeline/train/o.txt") == "2\n");
  sandbox.write("exp2/pipeline.yaml", "name: second\n" + sandbox.read("exp2/pipeline.yaml"));
  CHECK(sandbox.headway({"run", "exp2/pipeline.yaml"}).exit_code == 0);
  CHECK(sandbox.read("outputs/second/train/o.txt") == "2\n");
  CHECK(sandbox.read("outputs/pipeline/train/o.txt") == "1\n");
}

TEST_CASE("a pipeline file that was moved keeps its results folder") {
  const Sandbox sandbox;
  sandbox.write("old/p.yaml",
                "stages: {a: {uses: shell, outs: {o: o.txt}, with: {run: 'echo a > {out.o}'}}}\n");
  REQUIRE(sandbox.headway({"run", "old/p.yaml"}).exit_code == 0);
  REQUIRE(sandbox.sh("mv old new").exit_code == 0);
  const Outcome moved = sandbox.headway({"run", "new/p.yaml"});
  INFO(moved.all());
  CHECK(moved.exit_code == 0);
}

TEST_CASE("the target of a link inside a code folder is part of the key") {
  const Sandbox sandbox;
  sandbox.write("shared/lib.txt", "one\n");
  sandbox.write("shared/folder/deep.txt", "one\n");
  REQUIRE(sandbox
              .sh("mkdir src; ln -s ../shared/lib.txt src/lib.txt; ln -s ../shared/folder src; "
                  "ln -s nowhere src/dangling; ln -s . src/circle; ln -s ../src src/other-circle")
              .exit_code == 0);
  sandbox.write("p.yaml", R"(
stages: {a: {uses: shell, outs: {o: o.txt}, with: {run: "cat src/lib.txt src/folder/deep.txt > {out.o}", code: [src]}}}
)");
  const auto run = [&](const std::string& expected) {
    const Outcome outcome = sandbox.headway({"run", "p.yaml"});
    INFO(outcome.all());
    CHECK(outcome.exit_code == 0);
    CHECK(sandbox.read("outputs/p/a/o.txt") == expected);
  };
  run("one\none\n");
  sandbox.write("shared/lib.txt", "two\n");
  run("two\none\n");
  sandbox.write("shared/folder/deep.txt", "two\n");
  run("two\ntwo\n");
  CHECK_THAT(sandbox.headway({"status", "p.yaml"}).out, ContainsSubstring("1 fresh"));
}

TEST_CASE("verify during a run takes nothing away from it") {
  const Sandbox sandbox;
  // Something for verify to read while the run makes again what verify has found damaged.
  sandbox.write("big.yaml", R"(
stages: {big: {uses: shell, matrix: {i: [1, 2, 3, 4, 5, 6, 7, 8]}, outs: {o: o.bin}, with: {run: "truncate -s 5${matrix.i}M {out.o}"}}}
)");
  sandbox.write("q.yaml", R"(
params: {n: 0}
stages:
  a: {uses: shell, outs: {o: o.txt}, with: {run: "echo ${n} > {out.o}"}}
  b: {uses: shell, in: {x: a}, outs: {o: o.txt}, with: {run: "touch b-started; while test ! -e go; do sleep 0.01; done; cat {in.x} > {out.o}"}}
)");
  REQUIRE(sandbox.headway({"run", "big.yaml"}).exit_code == 0);
  for (int n = 1; n <= 4; ++n) {
    const std::string text = std::to_string(n);
    const std::string set = "n=" + text;
    REQUIRE(sandbox.headway({"run", "q.yaml", "a", "--set", set}).exit_code == 0);
    REQUIRE(sandbox
                .sh("rm -f go b-started; o=$(readlink -f outputs/q/" + set +
                    "/a/o.txt); chmod u+w $o; "
                    "echo x >> $o")
                .exit_code == 0);
    const auto verify = sandbox.start({"verify"});
    sleep_ms(40 * n);  // another moment each time
    const auto run = sandbox.start({"run", "q.yaml", "--set", set});
    const bool started = eventually([&] { return sandbox.exists("b-started"); });
    const Outcome verified = verify->wait();
    sandbox.write("go", "");
    const Outcome outcome = run->wait();
    INFO(n << "\n" << outcome.all() << "\n" << verified.all());
    CHECK(started);
    CHECK(verified.signal == 0);
    CHECK(outcome.exit_code == 0);
    CHECK(sandbox.read("outputs/q/" + set + "/b/o.txt") == text + "\n");
  }
  sandbox.headway({"verify"});  // alone, it may remove what it found
  const Outcome last = sandbox.headway({"verify"});
  INFO(last.all());
  CHECK(last.exit_code == 0);
}

// Changes one byte after the other: run and status still work, and report what is wrong.
void damage_bytes(const std::string& file) {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  a: {uses: shell, outs: {o: o.txt}, with: {run: "echo a > {out.o}"}}
  b: {uses: shell, in: {x: a}, outs: {o: o.txt}, with: {run: "cat {in.x} > {out.o}"}}
)");
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  const Path path = Path("outputs/.headway") / file;
  const std::size_t size = sandbox.read(path).size();
  REQUIRE(size > 40);
  for (int i = 0; i < 24; ++i) {
    std::string bytes = sandbox.read(path);
    REQUIRE(!bytes.empty());
    const std::size_t place = bytes.size() * static_cast<std::size_t>(i) / 24;
    bytes[place] = static_cast<char>(bytes[place] ^ (i % 2 == 0 ? 1 : 64));
    sandbox.write(path, bytes);
    CAPTURE(file, i, place, bytes);
    const Outcome status = sandbox.headway({"status", "p.yaml"});
    INFO(status.all());
    CHECK(status.exit_code == 0);
    CHECK_THAT(status.all(), ContainsSubstring(file));  // the warning
    const Outcome run = sandbox.headway({"run", "p.yaml"});
    INFO(run.all());
    CHECK(run.exit_code == 0);
    CHECK_THAT(run.all(), ContainsSubstring(file));
    CHECK(sandbox.read("outputs/p/b/o.txt") == "a\n");
    CHECK(sandbox.headway({"why", "p.yaml", "a"}).exit_code == 0);
    CHECK(sandbox.headway({"gc"}).exit_code == 0);
    CHECK(sandbox.headway({"verify"}).exit_code == 0);
    CHECK_THAT(sandbox.headway({"run", "p.yaml"}).out, ContainsSubstring("2 fresh"));
  }
}

TEST_CASE("a wrong byte in a pipeline's state is only a warning", "[long]") {
  damage_bytes("state/p");
}

TEST_CASE("a wrong byte in the remembered digests is only a warning", "[long]") {
  damage_bytes("digests");
}

TEST_CASE("the executable bit of a file is part of its contents") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  plain: {uses: shell, outs: {o: t.sh}, with: {run: "printf '#!/bin/sh\\necho hi\\n' > {out.o}"}}
  exe: {uses: shell, needs: [plain], outs: {o: t.sh}, with: {run: "printf '#!/bin/sh\\necho hi\\n' > {out.o}; chmod +x {out.o}"}}
  after: {uses: shell, needs: [exe], outs: {o: t.sh}, with: {run: "printf '#!/bin/sh\\necho hi\\n' > {out.o}; : again"}}
  use: {uses: shell, in: {t: exe}, outs: {o: o.txt}, with: {run: "{in.t} > {out.o}"}}
)");
  const Outcome run = sandbox.headway({"run", "p.yaml"});
  INFO(run.all());
  CHECK(run.exit_code == 0);
  CHECK(sandbox.read("outputs/p/use/o.txt") == "hi\n");
  const auto executable = [&](const Path& name) {
    return (std::filesystem::status(sandbox.at(name)).permissions() &
            std::filesystem::perms::owner_exec) != std::filesystem::perms::none;
  };
  CHECK_FALSE(executable("outputs/p/plain/t.sh"));
  CHECK(executable("outputs/p/exe/t.sh"));
  CHECK_FALSE(executable("outputs/p/after/t.sh"));
  const Outcome verified = sandbox.headway({"verify"});
  CHECK_THAT(verified.out, ContainsSubstring("all whole"));
}

}  // namespace
}  // namespace headway::e2e
