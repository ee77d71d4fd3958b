// Disks that forget or change what was written: power cuts, and bits that flip below the file
// system.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <thread>

#include "tests/e2e/loop_disk.h"
#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kNoLoop = "needs root, mkfs.ext4 and a loop device";

constexpr const char* kRotting = R"(
stages:
  a: {uses: shell, outs: {o: o.txt}, with: {run: "echo UNIQUE-GOOD-CONTENT > {out.o}"}}
  b: {uses: shell, in: {x: a}, outs: {o: o.txt}, with: {run: "cat {in.x} > {out.o}; echo b >> {out.o}"}}
)";

// Makes `a`, changes its bits on the disk without changing a time stamp, and mounts the disk again.
void rot(const Sandbox& sandbox, LoopDisk& disk) {
  sandbox.write("p.yaml", kRotting);
  REQUIRE(sandbox.headway({"run", "p.yaml", "a"}).exit_code == 0);
  disk.unmount();
  std::string bytes = sandbox.read("disk.img");
  const std::string good("UNIQUE-GOOD-CONTENT\n\0", 21);
  const std::size_t place = bytes.find(good);
  REQUIRE(place != std::string::npos);
  bytes.replace(place, 12, "UNIQUE-ROT!-");
  sandbox.write("disk.img", bytes);
  disk.mount("disk.img");
  REQUIRE(disk.mounted());
  REQUIRE(sandbox.read("outputs/p/a/o.txt") == "UNIQUE-ROT!-CONTENT\n");
}

void check_repaired(const Sandbox& sandbox) {
  CHECK(sandbox.read("outputs/p/a/o.txt") == "UNIQUE-GOOD-CONTENT\n");
  CHECK(sandbox.read("outputs/p/b/o.txt") == "UNIQUE-GOOD-CONTENT\nb\n");
  CHECK_THAT(sandbox.headway({"verify"}).out, ContainsSubstring("all whole"));
  CHECK_THAT(sandbox.headway({"run", "p.yaml"}).out, ContainsSubstring("2 fresh"));
}

TEST_CASE("a forced run replaces an object whose bits have rotted on the disk") {
  const Sandbox sandbox;
  LoopDisk disk(sandbox, "noatime");
  if (!disk.mounted()) SKIP(kNoLoop);
  rot(sandbox, disk);
  const Outcome forced = sandbox.headway({"run", "p.yaml", "--force"});
  INFO(forced.all());
  CHECK(forced.exit_code == 0);
  check_repaired(sandbox);
}

TEST_CASE(
    "verify finds an object whose bits have rotted on the disk, and the next run repairs it") {
  const Sandbox sandbox;
  LoopDisk disk(sandbox, "noatime");
  if (!disk.mounted()) SKIP(kNoLoop);
  rot(sandbox, disk);
  CHECK(sandbox.headway({"verify"}).exit_code == 1);
  const Outcome run = sandbox.headway({"run", "p.yaml"});
  INFO(run.all());
  CHECK(run.exit_code == 0);
  check_repaired(sandbox);
}

// Results that are synced and results that are not, fan-ins, a folder, a report.
constexpr const char* kAll = R"(
name: p
stages:
  a: {uses: shell, matrix: {i: [1, 2, 3]}, outs: {metrics: m.json}, with: {run: "echo '{\"x\": ${matrix.i}}' > {out.metrics}"}}
  slow: {uses: shell, outs: {t: t.txt}, with: {run: "sleep 1.1; seq 5000 > {out.t}"}}
  all: {uses: shell, in: {m: "a@*"}, outs: {t: t.txt}, with: {run: "cat {in.m} > {out.t}"}}
  folder: {uses: shell, in: {m: "a@*", s: slow}, outs: {d: d}, with: {run: "mkdir {out.d}; cat {in.m} > {out.d}/all; cp {in.s} {out.d}/slow"}}
  r: {uses: report, in: {m: "a@1"}, with: {times: false}}
)";

void cut_power(const std::string& options) {
  CAPTURE(options);
  const Sandbox sandbox;
  sandbox.write("p.yaml", kAll);
  REQUIRE(sandbox.headway({"run", "p.yaml", "--outputs", "calm"}).exit_code == 0);
  const auto expected = sandbox.exported("calm");
  // Metadata reaches the disk every second, data half a minute later or never.
  LoopDisk disk(sandbox, "commit=1" + options);
  if (!disk.mounted()) SKIP(kNoLoop);
  const auto start = std::chrono::steady_clock::now();
  const auto run = sandbox.start({"run", "p.yaml"});
  Words cuts;
  for (const int moment : {100, 600, 1200, 1700, 2400, 3500}) {
    std::this_thread::sleep_until(start + std::chrono::milliseconds(moment));
    const std::string image = "cut" + std::to_string(moment) + ".img";
    if (disk.copy_to(image)) cuts.push_back(image);
  }
  CHECK(run->wait().exit_code == 0);
  CHECK(cuts.size() >= 3);
  disk.unmount();
  for (const std::string& image : cuts) {
    disk.mount(image);
    REQUIRE(disk.mounted());
    const Outcome status = sandbox.headway({"status", "p.yaml"});
    const Outcome after = sandbox.headway({"run", "p.yaml"});
    INFO(image << "\n" << status.all() << after.all());
    CHECK(after.exit_code == 0);
    CHECK(sandbox.exported() == expected);
    const Outcome verified = sandbox.headway({"verify"});
    INFO(verified.all());
    if (verified.exit_code != 0) CHECK(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
    CHECK(sandbox.headway({"verify"}).exit_code == 0);
    CHECK(sandbox.exported() == expected);
    CHECK(sandbox.leftovers() == Words{});
    disk.unmount();
  }
}

TEST_CASE("after a power cut the next run has the right results") {
  cut_power("");
}

TEST_CASE("the same on a disk that writes names before data") {
  cut_power(",data=writeback");
}

}  // namespace
}  // namespace headway::e2e
