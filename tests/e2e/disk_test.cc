// Disks that are full or read-only.
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/small_disk.h"
#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kTwoLarge = R"(
stages:
  first: {uses: shell, outs: {t: t.bin}, with: {run: "echo first >> ran.txt; yes one | head -c 600000 > {out.t}"}}
  second: {uses: shell, in: {t: first}, outs: {t: t.bin}, with: {run: "echo second >> ran.txt; yes two | head -c 600000 > {out.t}"}}
)";

TEST_CASE("a full disk is a clear failure that loses nothing, and the next run completes") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kTwoLarge);
  const SmallDisk disk(sandbox);
  if (!disk.mounted()) SKIP("needs root, to mount a small disk");
  const Outcome full = sandbox.headway({"run", "p.yaml"});
  INFO(full.all());
  CHECK(full.exit_code == 1);
  CHECK_THAT(full.all(), ContainsSubstring("o space left"));
  CHECK(sandbox.read("outputs/p/first/t.bin").size() == 600000);
  CHECK(sandbox.headway({"verify"}).exit_code == 0);
  CHECK(sandbox.leftovers().empty());
  sandbox.ran();
  disk.remount(0, "size=16m");
  const Outcome after = sandbox.headway({"run", "p.yaml"});
  INFO(after.all());
  CHECK(after.exit_code == 0);
  CHECK(sandbox.ran() == Words{"second"});
  CHECK(sandbox.headway({"verify"}).exit_code == 0);
}

TEST_CASE("a disk that is full to the last byte leaves every earlier result intact") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
params: {n: 0}
stages:
  a: {uses: shell, outs: {t: t.txt}, with: {run: "echo a >> ran.txt; echo ${n} > {out.t}"}}
  b: {uses: shell, in: {t: a}, outs: {d: d}, with: {run: "echo b >> ran.txt; mkdir {out.d}; cp {in.t} {out.d}"}}
)");
  const SmallDisk disk(sandbox);
  if (!disk.mounted()) SKIP("needs root, to mount a small disk");
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  sandbox.sh("dd if=/dev/zero of=outputs/ballast bs=4k status=none");
  // Leave a little more space each time, so that another write is the one that fails.
  for (int pages = 0; pages < 12; ++pages) {
    const Outcome outcome =
        sandbox.headway({"run", "p.yaml", "--set", "n=" + std::to_string(pages + 1)});
    INFO(pages << " pages free\n" << outcome.all());
    CHECK(outcome.signal == 0);
    CHECK((outcome.exit_code == 0 || outcome.exit_code == 1));
    if (outcome.exit_code == 1) CHECK_THAT(outcome.all(), ContainsSubstring("o space left"));
    sandbox.sh("truncate -s -4096 outputs/ballast");
  }
  sandbox.sh("rm outputs/ballast");
  sandbox.ran();
  const Outcome verified = sandbox.headway({"verify"});
  INFO(verified.all());
  CHECK(verified.exit_code == 0);
  const Outcome first = sandbox.headway({"run", "p.yaml"});
  INFO(first.all());
  CHECK(first.exit_code == 0);
  CHECK(sandbox.ran().empty());
  CHECK(sandbox.headway({"run", "p.yaml", "--set", "n=1"}).exit_code == 0);
  CHECK(sandbox.read("outputs/p/n=1/a/t.txt") == "1\n");
  CHECK(sandbox.leftovers() == Words{});
}

TEST_CASE("an unwritable outputs folder is a clear error, and read-only verbs still work") {
  const Sandbox sandbox;
  sandbox.write(
      "p.yaml",
      "stages:\n  a: {uses: shell, outs: {t: t.txt}, with: {run: \"echo a > {out.t}\"}}\n");
  const bool root = ::geteuid() == 0;
  const SmallDisk disk(sandbox);
  if (root && !disk.mounted()) SKIP("root may write everywhere, and mounting does not work here");
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  if (root) {
    disk.remount(MS_RDONLY, "size=1m");
  } else {
    sandbox.sh("chmod -R a-w outputs");
  }
  const Outcome run = sandbox.headway({"run", "p.yaml", "--force"});
  INFO(run.all());
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.err, ContainsSubstring("outputs") &&
                          (ContainsSubstring("ead-only") || ContainsSubstring("ermission denied")));
  CHECK_THAT(sandbox.headway({"status", "p.yaml"}).out, ContainsSubstring("1 fresh"));
  CHECK_THAT(sandbox.headway({"why", "p.yaml", "a"}).out, ContainsSubstring("is fresh"));
  CHECK_THAT(sandbox.headway({"run", "p.yaml", "--dry-run"}).out, ContainsSubstring("1 fresh"));
  CHECK(sandbox.headway({"show", "p.yaml"}).exit_code == 0);
  CHECK(sandbox.headway({"logs", "a"}).exit_code == 0);
  if (root) {
    disk.remount(0, "size=1m");
  } else {
    sandbox.sh("chmod -R u+w outputs");
  }
  CHECK(sandbox.headway({"run", "p.yaml", "--force"}).exit_code == 0);
}

}  // namespace
}  // namespace headway::e2e
