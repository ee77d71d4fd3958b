// Longer runs that continue shorter ones: with the same result, whatever happens in between.
#include "lib/run/run_prefix.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <mutex>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/store/housekeeping.h"
#include "lib/worker/state_numerics.h"
#include "tests/support/project.h"
#include "tests/support/sanitized.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

struct WalkParams {
  std::int64_t steps = 3;
  std::int64_t length = 0;
  std::int64_t seed = 1;
};

StageType walk_type() {
  SchemaOf<WalkParams> schema;
  schema.add("steps", &WalkParams::steps, "how many").at_least(1);
  schema.add("length", &WalkParams::length, "of the whole walk; 0: steps").at_least(0);
  schema.add("seed", &WalkParams::seed, "of the way");
  StageType type;
  type.name = "walk";
  type.params = std::make_shared<SchemaOf<WalkParams>>(schema);
  type.outputs = {{"way", "way.txt", "the steps", {}}};
  type.prefix_params = PrefixParams{.amount = "steps", .whole = "length"};
  return type;
}

constexpr const char* kWalk = R"(
params: {steps: 3, length: 0, seed: 1}
stages:
  walk: {uses: walk, with: {steps: "${steps}", length: "${length}", seed: "${seed}"}}
)";

RunSettings walk(int steps, int length = 8, int seed = 1) {
  return {.sets = {fmt::format("steps={}", steps), fmt::format("length={}", length),
                   fmt::format("seed={}", seed)}};
}

std::string way(int steps, int length = 8, int seed = 1) {
  std::string text;
  for (int step = 1; step <= steps; ++step)
    text += fmt::format("step {} of {}, seed {}\n", step, length, seed);
  return text;
}

// Its stage walks like a training: step by step, each saved in two files of its partial
// folder.
class Walking : public Project {
 public:
  Walking() {
    stages.add(walk_type());
    write(kWalk);
    executor.on("walk", [this](const StageJob& job, const ProgressSink&, Interrupt&) {
      return take_steps(job);
    });
  }

  std::vector<int> began;  // steps that each attempt found done
  int stop_after = 1000;   // steps, as if it were interrupted

  Outcome run(const RunSettings& settings) {
    last_ = settings;
    return Project::run(settings);
  }
  std::string shown_way() {  // of the last run
    const std::string variant = load(last_).variant;
    return shown("p/" + (variant.empty() ? "" : variant + "/") + "walk/way.txt");
  }
  Names kept() {  // "4" for the state after four steps
    Names names;
    for (const std::string& family : disk.list(layout.prefix_states())) {
      for (const std::string& name : disk.list(layout.prefix_states() / family))
        names.push_back(name.substr(0, name.find('-')));
    }
    return names;
  }
  Path kept_folder(int steps) {
    for (const std::string& family : disk.list(layout.prefix_states())) {
      const Path states = layout.prefix_states() / family;
      for (const std::string& name : disk.list(states)) {
        if (name.starts_with(std::to_string(steps) + "-")) return states / name;
      }
    }
    throw Error("no such state");
  }

 private:
  RunSettings last_;

  StageResult take_steps(const StageJob& job) {
    const int length = job.params.at("length") == 0 ? job.params.at("steps").get<int>()
                                                    : job.params.at("length").get<int>();
    const int seed = job.params.at("seed");
    const std::string found = files.read(job.partial / "way").value_or("");
    const std::string plan = fmt::format("length {}, seed {}", length, seed);
    int done = static_cast<int>(std::count(found.begin(), found.end(), '\n'));
    if (found != way(done, length, seed) ||
        (done > 0 && files.read(job.partial / "deep" / "plan") != plan))
      throw Error("found a state that is not whole: " + found);
    began.push_back(done);
    files.make_directories(job.partial / "deep");
    files.replace(job.partial / "deep" / "plan", plan);
    int taken = 0;
    while (done < job.params.at("steps").get<int>()) {
      if (taken++ == stop_after) return failed("stopped");
      files.replace(job.partial / "way", way(++done, length, seed));
    }
    files.write(job.outputs[0].second, way(done, length, seed), Durability::kCached);
    return {};
  }
};

std::vector<Fact> facts_of_walk(const char* steps, const char* length, const char* seed = "1") {
  return {{"input data", "abc.csv"},
          {"param length", length},
          {"param seed", seed},
          {"param steps", steps},
          {"stage type", "walk"}};
}

}  // namespace

TEST_CASE("a run that left nothing but what it was computed with is not continued",
          "[run-prefix]") {
  Walking project;
  project.executor.on("walk", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    project.files.make_directories(job.partial);
    project.files.replace(StateNumerics::note_of(job.partial), "AVX2\n");
    return project.executor.work(job);
  });
  CHECK(project.run(walk(3)).exit_code == 0);
  CHECK(project.kept().empty());
}

TEST_CASE("a state that is continued still says what it was computed with", "[run-prefix]") {
  Walking project;
  project.stop_after = 2;
  project.run(walk(3));
  const Path states = project.layout.partials();
  REQUIRE(project.disk.list(states).size() == 1);
  const Path stopped = states / project.disk.list(states).front();
  project.disk.put(StateNumerics::note_of(stopped), "AVX2\n");
  project.stop_after = 1000;
  project.run(walk(3));  // the next attempt, then a longer run
  CHECK(project.disk.read(project.kept_folder(3) / StateNumerics::kFile) == "AVX2\n");
  project.stop_after = 1;
  project.run(walk(5));
  CHECK(project.began == std::vector<int>{0, 2, 3});
  const Path partial = project.executor.last_job("walk").partial;
  CHECK(project.disk.read(StateNumerics::note_of(partial)) == "AVX2\n");
  CHECK_FALSE(project.disk.exists(partial / StateNumerics::kFile));
  project.stop_after = 1000;
  project.run(walk(5));
  CHECK(project.disk.list(states).empty());
}

TEST_CASE("parts of one whole are one family, even if the whole is not named", "[run-prefix]") {
  const StageType type = walk_type();
  const RunPrefix part = run_prefix_of(type, facts_of_walk("4", "16")).value();
  const RunPrefix named = run_prefix_of(type, facts_of_walk("16", "16")).value();
  const RunPrefix whole = run_prefix_of(type, facts_of_walk("16", "0")).value();
  CHECK(part.amount == 4);
  CHECK(part.whole == 16);
  CHECK(!part.is_whole());
  CHECK(whole.is_whole());
  CHECK(part.family == named.family);
  CHECK(part.family == whole.family);
}

TEST_CASE("any other difference makes another family", "[run-prefix]") {
  const StageType type = walk_type();
  const Digest family = run_prefix_of(type, facts_of_walk("4", "16"))->family;
  CHECK(run_prefix_of(type, facts_of_walk("4", "0"))->family != family);
  CHECK(run_prefix_of(type, facts_of_walk("4", "17"))->family != family);
  CHECK(run_prefix_of(type, facts_of_walk("4", "16", "2"))->family != family);
  std::vector<Fact> facts = facts_of_walk("4", "16");
  facts[0].value = "abd.csv";
  CHECK(run_prefix_of(type, facts)->family != family);
  facts = facts_of_walk("4", "16");
  facts.push_back({"version of the stage type", "2"});
  CHECK(run_prefix_of(type, facts)->family != family);
}

TEST_CASE("a type that declares no prefixes has none", "[run-prefix]") {
  StageType type = walk_type();
  type.prefix_params.reset();
  CHECK(!run_prefix_of(type, facts_of_walk("4", "16")));
}

TEST_CASE("the name of a prefix state can be parsed, and no other can", "[run-prefix]") {
  const PrefixStateName name{12, digest_of("key"), digest_of("contents")};
  const auto read = PrefixStateName::parse(name.text());
  REQUIRE(read);
  CHECK(read->amount == 12);
  CHECK(read->key == name.key);
  CHECK(read->contents == name.contents);
  const std::string text = name.text();
  for (const std::string& other :
       {std::string(), std::string("-"), std::string("12"), std::string("12-"), text + "0",
        text.substr(2), text.substr(0, text.size() - 1), text.substr(0, 67), "x" + text}) {
    CAPTURE(other);
    CHECK(!PrefixStateName::parse(other));
  }
}

TEST_CASE("a longer run continues the longest shorter one, and says so", "[run-prefix]") {
  Walking project;
  project.run(walk(1));
  CHECK(project.starts.at(0).reason == "never run");
  project.run(walk(4));
  CHECK_THAT(project.starts.at(0).reason,
             ContainsSubstring("; continues from 1 step") && !ContainsSubstring("1 steps"));
  const Outcome last = project.run(walk(6));
  CHECK_THAT(project.starts.at(0).reason, ContainsSubstring("; continues from 4 steps"));
  CHECK(project.began == std::vector<int>{0, 1, 4});
  CHECK(project.shown_way() == way(6));
  CHECK(last.warnings.empty());
  CHECK(project.kept() == Names{"1", "4", "6"});
  CHECK(project.disk.list(project.layout.partials()).empty());
  CHECK(project.disk.list(project.layout.works()).empty());
}

TEST_CASE("the whole continues a part, and leaves nothing to continue from", "[run-prefix]") {
  const int length = GENERATE(0, 8);
  Walking project;
  project.run(walk(4));
  project.run(walk(8, length));
  CHECK(project.began == std::vector<int>{0, 4});
  CHECK(project.shown_way() == way(8));
  CHECK(project.kept() == Names{"4"});
  CHECK(project.disk.list(project.layout.partials()).empty());
}

TEST_CASE("what a run continues from stays for others", "[run-prefix]") {
  Walking project;
  project.run(walk(4));
  project.run(walk(6));
  project.run(walk(5));
  CHECK(project.began == std::vector<int>{0, 4, 4});
  CHECK(project.shown_way() == way(5));
}

TEST_CASE("a shorter run, or one of another family, starts from scratch", "[run-prefix]") {
  Walking project;
  project.run(walk(4));
  SECTION("shorter") {
    project.run(walk(3));
    CHECK(project.shown_way() == way(3));
  }
  SECTION("of another seed") {
    project.run(walk(6, 8, 2));
    CHECK(project.shown_way() == way(6, 8, 2));
  }
  SECTION("of another whole") {
    project.run(walk(6, 0));
    CHECK(project.shown_way() == way(6, 6));
  }
  CHECK(project.began == std::vector<int>{0, 0});
  CHECK_THAT(project.starts.at(0).reason, !ContainsSubstring("continues"));
}

TEST_CASE("a stage's own state takes precedence over that of a shorter run", "[run-prefix]") {
  Walking project;
  project.stop_after = 2;
  CHECK(project.run(walk(6)).exit_code == 1);
  project.stop_after = 1000;
  project.run(walk(4));
  project.run(walk(6));
  CHECK(project.began == std::vector<int>{0, 0, 2});
  CHECK(project.shown_way() == way(6));
}

TEST_CASE("a stage that fails after continuing resumes from its own state", "[run-prefix]") {
  Walking project;
  project.run(walk(2));
  project.stop_after = 2;
  CHECK(project.run(walk(7)).exit_code == 1);
  CHECK(project.run(walk(7)).exit_code == 1);
  project.run(walk(7));
  CHECK(project.began == std::vector<int>{0, 2, 4, 6});
  CHECK(project.shown_way() == way(7));
}

TEST_CASE("a forced stage starts from scratch, and can be continued", "[run-prefix]") {
  Walking project;
  project.run(walk(2));
  project.run(walk(4));
  RunSettings forced = walk(4);
  forced.force = {"walk"};
  project.run(forced);
  CHECK_THAT(project.starts.at(0).reason, !ContainsSubstring("continues"));
  CHECK(project.kept() == Names{"2", "4"});
  project.run(walk(6));
  CHECK(project.began == std::vector<int>{0, 2, 0, 4});
}

TEST_CASE("a damaged state is reported and removed, and the next shorter one is used",
          "[run-prefix]") {
  Walking project;
  project.run(walk(2));
  project.run(walk(4));
  const Path folder = project.kept_folder(4);
  SECTION("a file changed") {
    project.disk.rot(folder / "way", std::string(way(4).size(), 'x'));
  }
  SECTION("a file changed into another valid state") {
    project.disk.put(folder / "way", way(3));
  }
  SECTION("a truncated file") {
    project.disk.put(folder / "deep" / "plan", "");
  }
  SECTION("a missing file") {
    project.disk.remove(folder / "way");
  }
  SECTION("an extra file") {
    project.disk.put(folder / "more", "1");
  }
  SECTION("empty") {
    project.disk.remove(folder / "way");
    project.disk.remove(folder / "deep");
  }
  SECTION("not a folder") {
    project.disk.remove(folder);
    project.disk.put(folder, "1");
  }
  const Outcome outcome = project.run(walk(6));
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.warnings ==
        Names{folder.string() + " is damaged and removed; nothing continues from it"});
  CHECK(project.began == std::vector<int>{0, 2, 2});
  CHECK(project.shown_way() == way(6));
  CHECK(project.kept() == Names{"2", "6"});
}

TEST_CASE("files that are not named like a state are left alone", "[run-prefix]") {
  Walking project;
  project.run(walk(2));
  const Path family = project.kept_folder(2).parent_path();
  project.disk.put(family / "3-rubbish" / "way", "x");
  const Outcome outcome = project.run(walk(4));
  CHECK(outcome.warnings.empty());
  CHECK(project.began == std::vector<int>{0, 2});
}

TEST_CASE("if states cannot be kept, results are unaffected and nothing is left over",
          "[run-prefix]") {
  Walking project;
  project.files.make_read_only(project.layout.prefix_states());
  const Outcome outcome = project.run(walk(4));
  CHECK(outcome.exit_code == 0);
  REQUIRE(outcome.warnings.size() == 1);
  CHECK_THAT(outcome.warnings[0],
             ContainsSubstring("longer runs cannot continue from stage 'walk': ") &&
                 ContainsSubstring("read-only file system"));
  CHECK(project.disk.list(project.layout.partials()).empty());
  project.run(walk(6));
  CHECK(project.began == std::vector<int>{0, 0});
}

TEST_CASE("concurrent stages continue from the same state", "[run-prefix]") {
  Walking project;
  project.run(walk(2));
  project.began.clear();
  project.write(R"(
stages:
  far: {uses: walk, matrix: {steps: [3, 4, 5, 6, 7]}, with: {steps: "${matrix.steps}", length: 8}}
)");
  std::mutex mutex;
  Gate all_began;
  int waiting = 0;
  for (int steps = 3; steps <= 7; ++steps) {
    project.executor.on(fmt::format("far@{}", steps),
                        [&](const StageJob& job, const ProgressSink&, Interrupt&) {
                          {
                            const std::lock_guard lock(mutex);
                            if (++waiting == 5) all_began.open();
                          }
                          if (!all_began.wait()) return failed("the others did not begin");
                          if (project.disk.read(job.partial / "way") != way(2))
                            return failed("no state");
                          project.disk.write(job.outputs[0].second, "there", Durability::kCached);
                          return StageResult();
                        });
  }
  const Outcome outcome = project.run({.cpus = 5});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.warnings.empty());
  CHECK(project.kept() == Names{"2", "3", "4", "5", "6", "7"});
}

TEST_CASE("killed at any operation of a longer run, the next one has the same result",
          "[run-prefix][slow]") {
  const bool torn = GENERATE(false, true);
  Walking undisturbed;
  undisturbed.run(walk(4));
  undisturbed.files.heal();
  REQUIRE(undisturbed.run(walk(6)).exit_code == 0);
  const std::size_t operations = undisturbed.files.operations();
  for (std::size_t n = 0; n < operations; n += kStep) {
    Walking project;
    project.run(walk(4));
    project.files.heal();
    project.files.crash_at(n, torn);
    project.run(walk(6));
    INFO("killed at operation " << n << (torn ? ", torn" : ""));
    if (!project.files.has_failed()) {  // a stage of the other run took a second, and was synced
      REQUIRE(project.files.operations() <= n);
      break;
    }
    project.files.heal();
    project.began.clear();
    Outcome again = project.run(walk(6));
    INFO(again.error << join(again.warnings, "; "));
    REQUIRE(again.exit_code == 0);
    std::erase_if(again.warnings, [](const std::string& warning) {  // a torn journal
      return warning.ends_with(": a line is damaged and ignored");
    });
    REQUIRE(again.warnings.empty());
    REQUIRE(project.shown_way() == way(6));
    for (const int found : project.began) REQUIRE(found >= 4);
    REQUIRE(project.run(walk(8)).exit_code == 0);
    REQUIRE(project.shown_way() == way(8));
  }
}

TEST_CASE("killed at any operation of a shorter run, longer ones have the same result",
          "[run-prefix][slow]") {
  const bool torn = GENERATE(false, true);
  Walking undisturbed;
  undisturbed.files.heal();
  undisturbed.run(walk(2));
  const std::size_t operations = undisturbed.files.operations();
  for (std::size_t n = 0; n < operations; n += kStep) {
    Walking project;
    project.files.heal();
    project.files.crash_at(n, torn);
    project.run(walk(2));
    INFO("killed at operation " << n << (torn ? ", torn" : ""));
    project.files.heal();
    REQUIRE(project.run(walk(3)).exit_code == 0);
    REQUIRE(project.shown_way() == way(3));
    REQUIRE(project.run(walk(2)).exit_code == 0);
    REQUIRE(project.shown_way() == way(2));
  }
}

TEST_CASE("a disk that is full when a longer run begins loses the state, not the run",
          "[run-prefix]") {
  std::size_t recovered = 0;
  Walking undisturbed;
  undisturbed.run(walk(4));
  undisturbed.files.heal();
  undisturbed.run(walk(6));
  const std::size_t writes = undisturbed.files.writes();
  for (std::size_t n = 0; n < writes; ++n) {
    Walking full;
    full.run(walk(4));
    full.files.heal();
    full.files.fill_disk_at(n, false);
    const Outcome outcome = full.run(walk(6));
    INFO("full at write " << n << ": " << outcome.error);
    if (outcome.exit_code == 0) {
      REQUIRE(full.shown_way() == way(6));
      if (full.began == std::vector<int>{0, 0}) {
        ++recovered;
        REQUIRE(outcome.warnings.size() == 1);
        REQUIRE_THAT(
            outcome.warnings[0],
            ContainsSubstring("stage 'walk' starts from nothing, not from a shorter run") &&
                ContainsSubstring("no space left"));
      }
    }
    full.files.heal();
    REQUIRE(full.run(walk(6)).exit_code == 0);
    REQUIRE(full.shown_way() == way(6));
  }
  CHECK(recovered >= 2);  // each file of the state, and its folders
}

TEST_CASE("gc removes the states of runs that are no longer used", "[run-prefix][gc]") {
  Walking project;
  project.run(walk(2));
  project.run(walk(4));
  Store store(project.disk, project.outputs);
  const Digest used = project.key_of("walk", walk(4));
  remove_garbage(store, find_garbage(store, {used}, 0));
  CHECK(project.kept() == Names{"4"});
  project.run(walk(6));
  CHECK(project.began == std::vector<int>{0, 2, 4});
  remove_garbage(store, find_garbage(store, {}, 0));
  CHECK(project.disk.list(project.layout.prefix_states()).empty());
}

}  // namespace headway::testing
