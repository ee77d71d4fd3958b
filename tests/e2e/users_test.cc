// Several users of one machine: whoever may only read looks at results, and a group shares a store.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kStudy = R"(
params: {n: 1}
stages:
  a: {uses: shell, outs: {metrics: m.json, parts: parts}, with: {run: "mkdir {out.parts}; echo ${n} > {out.parts}/p; echo '{\"n\": ${n}}' > {out.metrics}"}}
  b: {uses: shell, in: {m: a.metrics}, outs: {o: b.txt}, with: {run: "cp {in.m} {out.o}; echo said"}}
  report: {uses: report, in: {m: a.metrics}}
variants:
  two: {n: 2}
)";

struct User {
  int id = 0;
  int group = 0;
};
constexpr User kAnna = {54321, 65432};
constexpr User kBert = {54322, 65432};
constexpr User kGuest = {54323, 65433};

class SharedMachine : public Sandbox {
 public:
  SharedMachine() {
    if (::geteuid() != 0) SKIP("only root can run programs as other users");
    if (sh("command -v setpriv").exit_code != 0) SKIP("needs setpriv");
    std::filesystem::permissions(folder().parent_path(), std::filesystem::perms(0755));
    std::filesystem::permissions(folder(), std::filesystem::perms(0755));
    write("p.yaml", kStudy);
    if (as(kGuest, {"--version"}).exit_code != 0) SKIP("other users may not run " + program_path());
  }

  Outcome as(const User& user, const Words& arguments) const {
    Words command = {"setpriv",
                     "--reuid",
                     std::to_string(user.id),
                     "--regid",
                     std::to_string(user.group),
                     "--clear-groups",
                     program_path()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return program(command);
  }
  // Everything about every file but the time of its last access.
  std::string listing() const {
    return sh("find outputs -printf '%p %M %U %G %s %T@ %C@ %l\\n' | sort").out;
  }
};

TEST_CASE("a store that may only be read serves every verb that looks at results") {
  const SharedMachine machine;
  REQUIRE(machine.headway({"run", "p.yaml"}).exit_code == 0);
  REQUIRE(machine.headway({"run", "p.yaml", "--variant", "two"}).exit_code == 0);
  REQUIRE(machine.headway({"report"}).exit_code == 0);
  REQUIRE(machine.sh("mkdir -m 777 open").exit_code == 0);
  const std::string before = machine.listing();
  for (const Words& look :
       {Words{"status"}, Words{"status", "p.yaml"}, Words{"show"}, Words{"show", "p.yaml"},
        Words{"show", "p.yaml", "a"}, Words{"why", "p.yaml", "a"}, Words{"logs", "p.yaml", "b"},
        Words{"compare", "p.yaml", "--variants", "p,two"}, Words{"diff", "p", "p/two"},
        Words{"run", "p.yaml", "--dry-run"}, Words{"report", "p.yaml"}, Words{"report"},
        Words{"verify"}, Words{"export", "open/copy"}}) {
    const Outcome outcome = machine.as(kGuest, look);
    INFO(look[0] << ": " << outcome.all());
    CHECK(outcome.exit_code == 0);
    CHECK_FALSE(outcome.out.empty());
  }
  CHECK_THAT(machine.as(kGuest, {"status"}).out, ContainsSubstring("3 fresh"));
  CHECK(machine.as(kGuest, {"report", "p.yaml"}).out == "outputs/p/report/index.html\n");
  CHECK(machine.listing() == before);
}

TEST_CASE("whoever may not write is told whose store it is and how to share it") {
  const SharedMachine machine;
  REQUIRE(machine.headway({"run", "p.yaml"}).exit_code == 0);
  const std::string before = machine.listing();
  for (const Words& write :
       {Words{"run", "p.yaml"}, Words{"gc"}, Words{"report", "p.yaml", "--variant", "two"},
        Words{"sweep", "p.yaml", "--axis", "n=1,2"}}) {
    const Outcome outcome = machine.as(kGuest, write);
    INFO(write[0] << ": " << outcome.all());
    CHECK(outcome.exit_code == 1);
    CHECK_THAT(outcome.err,
               ContainsSubstring("outputs/.headway belongs to user root and group root, and you "
                                 "may not write to it") &&
                   ContainsSubstring("chgrp -R GROUP outputs && chmod -R g+rwX outputs"));
  }
  CHECK(machine.listing() == before);
  CHECK(machine.as(kGuest, {"run", "p.yaml", "--outputs", "mine"}).err ==
        "headway: " + machine.folder().string() +
            " belongs to user root and group root, and you may not write to it; --outputs names "
            "another folder for results\n");
}

TEST_CASE("members of a group share a store, whatever their umask") {
  const SharedMachine machine;
  const std::string group = std::to_string(kAnna.group);
  SECTION("that one of them begins") {
    REQUIRE(machine.sh("mkdir outputs && chgrp " + group + " outputs && chmod g+ws outputs")
                .exit_code == 0);
  }
  SECTION("that somebody else shares as the message says") {
    REQUIRE(machine.headway({"run", "p.yaml", "a"}).exit_code == 0);
    REQUIRE(machine
                .sh("chgrp -R " + group +
                    " outputs && chmod -R g+rwX outputs && "
                    "find outputs -type d -exec chmod g+s {} +")
                .exit_code == 0);
  }
  const auto succeeds = [&](const User& user, const Words& arguments) {
    const Outcome outcome = machine.as(user, arguments);
    INFO(arguments[0] << ": " << outcome.all());
    CHECK(outcome.exit_code == 0);
    return outcome.out;
  };
  succeeds(kAnna, {"run", "p.yaml"});
  CHECK_THAT(succeeds(kBert, {"run", "p.yaml"}), ContainsSubstring("nothing to do"));
  succeeds(kBert, {"run", "p.yaml", "--variant", "two"});
  succeeds(kAnna, {"run", "p.yaml", "--variant", "two", "--force"});
  succeeds(kBert, {"run", "p.yaml", "--force"});
  succeeds(kAnna, {"gc", "--forget", "p/two"});
  succeeds(kBert, {"verify"});
  CHECK(machine.as(kGuest, {"run", "p.yaml", "--force"}).exit_code == 1);
  CHECK(machine.sh("find outputs ! -group " + group).out == "");
  CHECK(machine.sh("find outputs -type d ! -perm -2070").out == "");
}

}  // namespace
}  // namespace headway::e2e
