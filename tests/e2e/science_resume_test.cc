// Trainings that are killed, interrupted or run out of disk: the next run continues, to the same
// bytes as an undisturbed one.
#include <signal.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "tests/e2e/small_disk.h"
#include "tests/e2e/support.h"
#include "tests/support/event_reader.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

// Long enough that a kill, seconds apart in epochs, finds it at work.
constexpr const char* kTraining = R"(
stages:
  data: {uses: generate-addition, with: {digits: 2, train: 1800, val: 60, test: 60}}
  train:
    uses: train-seq2seq
    in: {data: data}
    with: {model: {d_model: 32, n_heads: 2, n_layers: 1, d_ff: 64}, epochs: 8, batch: 16}
    resources: {cpus: 2}
)";

// The outputs of an undisturbed training, without those that always vary. Computed once.
const std::map<std::string, std::string>& undisturbed() {
  static const std::map<std::string, std::string> kFiles = [] {
    const Sandbox sandbox;
    sandbox.write("p.yaml", kTraining);
    const Outcome outcome = sandbox.headway({"run", "p.yaml"});
    INFO(outcome.all());
    REQUIRE(outcome.exit_code == 0);
    return sandbox.contents("outputs/p/train", {"timing.csv", kEventFileName});
  }();
  return kFiles;
}

// The epochs in a file of TensorBoard events.
std::vector<std::int64_t> epochs_in(const std::string& bytes) {
  std::vector<std::int64_t> epochs;
  for (const testing::ReadEvent& event : testing::read_events(bytes)) {
    if (event.version.empty()) epochs.push_back(event.step);
  }
  return epochs;
}

void check_finished(const Sandbox& sandbox) {
  const Outcome last = sandbox.headway({"run", "p.yaml"});
  INFO(last.all());
  REQUIRE(last.exit_code == 0);
  CHECK(sandbox.contents("outputs/p/train", {"timing.csv", kEventFileName}) == undisturbed());
  CHECK(lines(sandbox.read("outputs/p/train/timing.csv")).size() == 1 + 8);
  CHECK(epochs_in(sandbox.read(Path("outputs/p/train") / kEventFileName)) ==
        std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(sandbox.list("outputs/.headway/partial").empty());
  CHECK(sandbox.leftovers() == Words{});
  CHECK(sandbox.headway({"verify"}).exit_code == 0);
}

std::string log_of_training(const Sandbox& sandbox) {
  return sandbox.headway({"logs", "p.yaml", "train"}).out;
}

// The epoch that the progress of `run --json` last reported; 0 before the first.
int epoch_of(const Background& run) {
  const std::string out = run.out_so_far();
  const std::size_t found = out.rfind("\"epoch ");
  return found == std::string::npos ? 0 : std::atoi(out.c_str() + found + 7);
}

// Waits until the training has reached that point; progress is not reported for every step, so it
// may be further.
bool wait_for_epoch(const Background& run, int epoch) {
  return eventually([&] { return epoch_of(run) >= epoch || !is_running(run.pid()); }) &&
         is_running(run.pid());
}

// Runs the training once for each of the epochs and disturbs it there. `disturb` waits for the end
// of the run, and returns false if the training was finished before: then all begins again, since
// this process may get no cpu while the training goes on.
void disturb_at(const Sandbox& sandbox, const std::vector<int>& epochs,
                const std::function<bool(Background&, int epoch)>& disturb) {
  const auto disturbs = [&](int epoch) {
    // The number of cores of each part does not matter either.
    const auto run = sandbox.start({"run", "p.yaml", "--json", epoch % 4 == 1 ? "-j1" : "-j2"});
    if (wait_for_epoch(*run, epoch)) return disturb(*run, epoch);
    CHECK(run->wait().exit_code == 0);
    return false;
  };
  for (int tries = 0; tries < 10; ++tries) {
    sandbox.sh("chmod -R u+w outputs; rm -rf outputs");
    if (std::ranges::all_of(epochs, disturbs)) return;
  }
  FAIL("the training always ended before it was disturbed");
}

// The worker processes of a run. They are children of the engine, which is a child of the guardian.
std::vector<pid_t> workers_of(pid_t run) {
  std::vector<pid_t> workers;
  const Path tasks = "/proc/" + std::to_string(run) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    std::ifstream children(task.path() / "children");
    for (pid_t child = 0; children >> child;) {
      std::string name;
      std::getline(std::ifstream("/proc/" + std::to_string(child) + "/comm"), name);
      if (name == "headway-worker") workers.push_back(child);
      if (name != "headway") continue;
      for (const pid_t worker : workers_of(child)) workers.push_back(worker);
    }
  }
  return workers;
}

// The events of the only training at work, where the README says that they are; "" if there is
// none.
std::string events_at_work(const Sandbox& sandbox) {
  const Outcome found =
      sandbox.sh(std::string("ls outputs/.headway/work/*/*/out/") + kEventFileName);
  return lines(found.out).size() == 1 ? sandbox.read(lines(found.out)[0]) : "";
}

// What a killed run has left, once it is dead: a process that holds a lock may live for a moment.
std::string status_after_kill(const Sandbox& sandbox) {
  std::string status;
  CHECK(eventually([&] {
    status = sandbox.headway({"status", "p.yaml"}).out;
    return status.find("running") == std::string::npos;
  }));
  return status;
}

TEST_CASE("a training that is killed repeatedly ends with the same bytes", "[long]") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kTraining);
  disturb_at(sandbox, {1, 3, 5, 7}, [&](Background& run, int epoch) {
    const std::vector<pid_t> workers = workers_of(run.pid());
    sleep_ms(7 * epoch);  // not always at the same step
    run.signal(SIGKILL);
    const Outcome killed = run.wait();
    for (const pid_t worker : workers) CHECK(eventually([&] { return !is_running(worker); }));
    return killed.signal == SIGKILL &&
           status_after_kill(sandbox).find("interrupted") != std::string::npos;
  });
  CHECK_THAT(status_after_kill(sandbox),
             ContainsSubstring("interrupted  the next run goes on from its state"));
  check_finished(sandbox);
  CHECK_THAT(log_of_training(sandbox), ContainsSubstring("continues in epoch"));
}

TEST_CASE("ctrl-C saves a training in the middle of an epoch, and the next run continues there",
          "[long]") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kTraining);
  disturb_at(sandbox, {1, 3, 6}, [&](Background& run, int epoch) {
    const std::string at_work = events_at_work(sandbox);
    run.signal(SIGINT);
    const Outcome outcome = run.wait();
    INFO(outcome.all());
    if (events(outcome.out).back().at("interrupted") == 0) return false;
    CHECK(epochs_in(at_work).size() + 1 >= static_cast<std::size_t>(epoch));
    CHECK(outcome.exit_code == 130);
    return true;
  });
  check_finished(sandbox);
  const std::string log = log_of_training(sandbox);
  INFO(log);
  int continued = 0;
  for (const std::string& line : lines(log)) continued += line.starts_with("continues in epoch");
  CHECK(continued == 3);
}

TEST_CASE("a killed worker fails its stage, and the next run continues the training", "[long]") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kTraining);
  disturb_at(sandbox, {3}, [&](Background& run, int) {
    const std::vector<pid_t> workers = workers_of(run.pid());
    if (workers.empty() && is_running(run.pid()))
      SKIP("this kernel does not list the children of a process");
    for (const pid_t worker : workers) ::kill(worker, SIGKILL);
    const Outcome outcome = run.wait();
    INFO(outcome.all());
    if (outcome.exit_code == 0) return false;
    CHECK(outcome.exit_code == 1);
    CHECK_THAT(outcome.out, ContainsSubstring("killed by signal 9"));
    return true;
  });
  check_finished(sandbox);
  CHECK_THAT(log_of_training(sandbox), ContainsSubstring("continues in epoch"));
}

// The path of an interrupted training's state; "" if there is none.
Path state_of_training(const Sandbox& sandbox) {
  const Path partial = sandbox.at("outputs/.headway/partial");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(partial)) {
    if (entry.path().filename() == "state.safetensors")
      return entry.path().lexically_relative(sandbox.folder());
  }
  return {};
}

TEST_CASE("a torn or changed state costs work, but never the result", "[long]") {
  const std::vector<std::function<std::string(std::string)>> damages = {
      [](std::string bytes) { return bytes.substr(0, bytes.size() / 2); },
      [](std::string bytes) {
        for (std::size_t i = 1; i < 8; ++i) bytes[bytes.size() * i / 8] ^= 0x40;
        return bytes;
      },
      [](std::string bytes) {
        std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2), bytes.end(), '\0');
        return bytes;
      }};
  const Sandbox sandbox;
  sandbox.write("p.yaml", kTraining);
  disturb_at(sandbox, {3}, [&](Background& run, int) {
    run.signal(SIGINT);
    run.wait();
    return !state_of_training(sandbox).empty();
  });
  const Path state = state_of_training(sandbox);
  REQUIRE(!state.empty());
  const std::string bytes = sandbox.read(state);
  REQUIRE(bytes.size() > 1000);
  REQUIRE(sandbox.sh("cp -r outputs interrupted").exit_code == 0);
  for (std::size_t i = 0; i < damages.size(); ++i) {
    CAPTURE(i);
    REQUIRE(
        sandbox.sh("chmod -R u+w outputs; rm -r outputs; cp -r interrupted outputs").exit_code ==
        0);
    sandbox.write(state, damages[i](bytes));
    check_finished(sandbox);
    CHECK_THAT(log_of_training(sandbox), ContainsSubstring("starting from nothing") &&
                                             !ContainsSubstring("continues in epoch"));
  }
}

TEST_CASE("a training that another kind of machine began starts from nothing, and says so",
          "[long]") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kTraining);
  disturb_at(sandbox, {3}, [&](Background& run, int) {
    run.signal(SIGINT);
    run.wait();
    return !state_of_training(sandbox).empty();
  });
  const Path noted = state_of_training(sandbox).parent_path().string() + "-numerics";
  const std::string here = sandbox.read(noted);
  CHECK_THAT(here, ContainsSubstring("; LibTorch ") && ContainsSubstring("; kernels "));
  sandbox.write(noted, "a PDP-11\n");
  const Outcome outcome = sandbox.headway({"run", "p.yaml"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(
      outcome.all(),
      ContainsSubstring("stage 'train': the saved state was made with a PDP-11; this machine "
                        "computes with " +
                        here.substr(0, here.size() - 1)));
  CHECK_THAT(log_of_training(sandbox), ContainsSubstring("so the stage starts from nothing") &&
                                           !ContainsSubstring("continues in epoch"));
  check_finished(sandbox);
  CHECK_THAT(sandbox.headway({"show", "p.yaml", "train"}).out,
             ContainsSubstring("  numerics  " + here));
}

TEST_CASE("a training reports a full disk, and continues once there is space", "[long]") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kTraining);
  // A state is four times the model, and is written beside the one that it replaces: there is space
  // for the first, but not for the second.
  const std::size_t model = undisturbed().at("model.safetensors").size();
  const SmallDisk disk(sandbox, "size=" + std::to_string(6 * model + 150'000));
  if (!disk.mounted()) SKIP("needs root, to mount a small disk");
  const Outcome full = sandbox.headway({"run", "p.yaml"});
  INFO(full.all());
  CHECK(full.exit_code == 1);
  CHECK_THAT(full.all(), ContainsSubstring("o space left") && ContainsSubstring("stage 'train'"));
  CHECK(sandbox.temporaries() == Words{});
  CHECK(sandbox.headway({"verify"}).exit_code == 0);
  disk.remount(0, "size=16m");
  check_finished(sandbox);
  // In epoch 2, unless the first took so long that it was saved in the middle.
  CHECK_THAT(log_of_training(sandbox), ContainsSubstring("continues in epoch"));
}

constexpr const char* kRungs = R"(
params: {epochs: 6, schedule: 0}
stages:
  data: {uses: generate-addition, with: {digits: 2, train: 400, val: 40, test: 40}}
  train:
    uses: train-seq2seq
    in: {data: data}
    with:
      model: {d_model: 16, n_heads: 2, n_layers: 1, d_ff: 32}
      epochs: "${epochs}"
      schedule_epochs: "${schedule}"
      batch: 16
)";

TEST_CASE("a longer training continues a shorter one, to the same bytes as from scratch",
          "[long]") {
  const Sandbox sandbox;
  const std::vector<std::pair<int, int>> rungs = {{2, 6}, {4, 6}, {6, 0}};
  int before = 0;
  for (const auto& [epochs, schedule] : rungs) {
    sandbox.write("p.yaml", kRungs);
    sandbox.replace(
        "p.yaml", "{epochs: 6, schedule: 0}",
        "{epochs: " + std::to_string(epochs) + ", schedule: " + std::to_string(schedule) + "}");
    const Outcome outcome = sandbox.headway({"run", "p.yaml", "--json"});
    INFO(outcome.all());
    REQUIRE(outcome.exit_code == 0);
    const std::string note = "continues from " + std::to_string(before) + " epochs";
    CHECK((outcome.out.find(note) != std::string::npos) == (before > 0));
    const std::string log = sandbox.headway({"logs", "p.yaml", "train"}).out;
    INFO(log);
    const std::string first = "continues in epoch " + std::to_string(before + 1) + ", after 0 ";
    CHECK((log.find(first) != std::string::npos) == (before > 0));
    CHECK(sandbox.list("outputs/.headway/partial").empty());

    const std::string apart = "from-nothing-" + std::to_string(epochs);
    const Outcome alone = sandbox.headway({"run", "p.yaml", "--outputs", apart});
    INFO(alone.all());
    REQUIRE(alone.exit_code == 0);
    CHECK(sandbox.contents("outputs/p/train", {"timing.csv", kEventFileName}) ==
          sandbox.contents(apart + "/p/train", {"timing.csv", kEventFileName}));
    CHECK(lines(sandbox.read("outputs/p/train/timing.csv")).size() ==
          static_cast<std::size_t>(1 + epochs));
    before = epochs;
  }
  // The first two are no longer used; the last is the whole.
  const Outcome gc = sandbox.headway({"gc"});
  CHECK_THAT(gc.out, ContainsSubstring("2 prefix states, "));
  CHECK(sandbox.list("outputs/.headway/continuations").empty());
  CHECK(sandbox.headway({"verify"}).exit_code == 0);
}

TEST_CASE("a forced training starts from scratch, even if there is a shorter one", "[long]") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kRungs);
  REQUIRE(
      sandbox.headway({"run", "p.yaml", "--set", "epochs=2", "--set", "schedule=6"}).exit_code ==
      0);
  const Outcome outcome = sandbox.headway({"run", "p.yaml", "--force", "train"});
  INFO(outcome.all());
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.all(), !ContainsSubstring("continues"));
  CHECK_THAT(log_of_training(sandbox), !ContainsSubstring("continues"));
}

}  // namespace
}  // namespace headway::e2e
