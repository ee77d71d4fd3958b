#include "tests/e2e/kill_loop.h"

#include <signal.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>

namespace headway::e2e {
namespace {

using LoopClock = std::chrono::steady_clock;

// A matrix, another on top of it, fan-ins, a folder, metrics; a daemon that a stage leaves behind;
// and two whose work is done by a process in its own session, with a state that goes wrong
// when two write it: it adds as many lines as it has counted before.
constexpr const char* kCommands = R"(
name: many
stages:
  root: {uses: shell, outs: {t: t.txt}, with: {run: "seq 500 > {out.t}"}}
  part:
    uses: shell
    matrix: {i: [1, 2, 3, 4, 5]}
    in: {t: root}
    outs: {t: t.txt, u: u.txt}
    with: {run: "awk '{print $1 * ${matrix.i}}' {in.t} > {out.t}; echo ${matrix.i} > {out.u}"}
  sum:
    uses: shell
    matrix: {i: [1, 2, 3, 4, 5]}
    in: {t: "part@${matrix.i}.t"}
    outs: {metrics: m.json}
    with: {run: "awk '{s += $1} END {print \"{\\\"sum\\\": \" s \"}\"}' {in.t} > {out.metrics}"}
    expect: {sum: "> 0"}
  folder:
    uses: shell
    in: {u: "part@*.u"}
    outs: {site: site}
    with: {run: "mkdir -p {out.site}/deep; cat {in.u} > {out.site}/deep/all; cp {in.u} {out.site}"}
  daemon: {uses: shell, outs: {t: t.txt}, with: {run: "setsid sleep 300 & echo d > {out.t}"}}
  steps:
    uses: shell
    matrix: {to: [name, descriptor]}
    outs: {t: t.txt}
    with:
      run: |
        touch {partial}/state
        setsid sh -c '
          exec 3>>"$1"
          while :; do
            n=$(wc -l < "$1") || exit 1
            if test "$n" -ge 5; then exit 0; fi
            sleep 0.02
            case ${matrix.to} in
              name) echo "$n" >> "$1" ;;
              descriptor) echo "$n" >&3 ;;
            esac
          done' sh {partial}/state &
        wait $!
        cp {partial}/state {out.t}
  all: {uses: shell, in: {m: "sum@*"}, outs: {t: t.txt}, with: {run: "cat {in.m} > {out.t}"}}
  last: {uses: shell, in: {a: all, f: folder}, outs: {t: t.txt}, with: {run: "cat {in.a} {in.f}/deep/all > {out.t}"}}
)";

constexpr const char* kTinyTraining = R"(
name: many
stages:
  data: {uses: generate-addition, with: {digits: 2, train: 600, val: 40, test: 40}}
  train:
    uses: train-seq2seq
    in: {data: data}
    with: {model: {d_model: 16, n_heads: 2, n_layers: 1, d_ff: 32}, epochs: 6, batch: 8}
  size: {uses: shell, in: {m: train.model}, outs: {t: t.txt}, with: {run: "wc -c < {in.m} > {out.t}"}}
)";

double ms_since(LoopClock::time_point start) {
  return std::chrono::duration<double, std::milli>(LoopClock::now() - start).count();
}

bool is_of_kind(const ProcessInfo& process, Kill kill, pid_t guardian, pid_t engine) {
  // The run's own two processes, and one that the leak sanitizer starts at the end: without that
  // one, the engine would wait for ever.
  if (process.group == guardian) return false;
  const bool worker = process.name == "headway-worker";
  const bool stage = process.parent == engine && !worker;
  if (kill == Kill::kWorker) return worker;
  if (kill == Kill::kStage) return stage;
  return kill == Kill::kGrandchild && !worker && !stage;
}

bool ends_the_run(Kill kill) {
  return kill == Kill::kGuardian || kill == Kill::kEngine || kill == Kill::kBoth;
}

}  // namespace

const char* name_of(Kill kill) {
  switch (kill) {
    case Kill::kGuardian:
      return "guardian";
    case Kill::kEngine:
      return "engine";
    case Kill::kBoth:
      return "both";
    case Kill::kWorker:
      return "worker";
    case Kill::kStage:
      return "stage";
    case Kill::kGrandchild:
      return "grandchild";
  }
  return "";
}

KillLoop::KillLoop(Pipeline pipeline, std::uint64_t seed) : pipeline_(pipeline), random_(seed) {
  sandbox_.write("p.yaml", pipeline == Pipeline::kCommands ? kCommands : kTinyTraining);
  const LoopClock::time_point start = LoopClock::now();
  const Outcome calm = sandbox_.headway({"run", "p.yaml", "--outputs", "calm"});
  INFO(calm.all());
  REQUIRE(calm.exit_code == 0);
  whole_ = ms_since(start);
  expected_ = results("calm");
}

// Without times.
std::map<std::string, std::string> KillLoop::results(const std::string& outputs) const {
  std::map<std::string, std::string> files = sandbox_.exported(outputs);
  std::erase_if(files, [](const auto& file) {
    return file.first.ends_with("timing.csv") || file.first.ends_with(kEventFileName);
  });
  return files;
}

void KillLoop::check(bool holds, const std::string& otherwise) {
  if (!holds) problems_ += "  " + otherwise + "\n";
}

Kill KillLoop::choose_kill() {
  // Commands run without a worker, and a training's worker starts nothing.
  static constexpr std::array kOfCommands = {Kill::kGuardian, Kill::kEngine, Kill::kBoth,
                                             Kill::kStage, Kill::kGrandchild};
  static constexpr std::array kOfTraining = {Kill::kGuardian, Kill::kEngine, Kill::kBoth,
                                             Kill::kWorker, Kill::kWorker};
  const auto& kinds = pipeline_ == Pipeline::kCommands ? kOfCommands : kOfTraining;
  return kinds[random_() % kinds.size()];
}

// False if there is no process of that kind at the moment.
bool KillLoop::kill_one(const Background& run, Kill kill) {
  if (kill == Kill::kGuardian) {
    run.signal(SIGKILL);
    return true;
  }
  if (kill == Kill::kBoth) {
    run.signal_group(SIGKILL);
    return true;
  }
  const pid_t engine = engine_of(sandbox_, run.pid());
  if (kill == Kill::kEngine) return engine != 0 && ::kill(engine, SIGKILL) == 0;
  std::vector<ProcessInfo> victims = processes_in(sandbox_);
  std::erase_if(victims, [&](const ProcessInfo& process) {
    return !is_of_kind(process, kill, run.pid(), engine);
  });
  return engine != 0 && !victims.empty() &&
         ::kill(victims[random_() % victims.size()].pid, SIGKILL) == 0;
}

bool KillLoop::kill_at_random(const Background& run, Kill kill) {
  const double moment = std::uniform_real_distribution<>(0, 1.05 * whole_)(random_);
  const LoopClock::time_point start = LoopClock::now();
  while (is_running(run.pid()) && ms_since(start) < moment) sleep_ms(0.5);
  while (is_running(run.pid())) {
    if (kill_one(run, kill)) return true;
    sleep_ms(0.5);
  }
  return false;
}

void KillLoop::check_killed_run(const Outcome& outcome, Kill kill, bool hit) {
  // A run whose guardian or engine was at its end may have finished; a stage may have been, too.
  const bool killed = outcome.signal == SIGKILL && hit && ends_the_run(kill);
  check(killed || (outcome.signal == 0 && outcome.exit_code >= 0),
        "the run ended by signal " + std::to_string(outcome.signal));
  if (!hit)
    check(outcome.exit_code == 0,
          "an undisturbed run: exit code " + std::to_string(outcome.exit_code));
  if (hit && !ends_the_run(kill))
    check(outcome.exit_code == 0 || outcome.exit_code == 1,
          "exit code " + std::to_string(outcome.exit_code) + " of a run that lost a process");
}

void KillLoop::check_next_run(const std::string& outputs, Kill kill, bool hit) {
  const bool orphans = hit && kill == Kill::kBoth;  // nothing is left that could end them
  // At once or a little later: what was killed may still be dying.
  if (!orphans && random_() % 2 == 0)
    check(all_end(sandbox_), "left running: " + to_text(processes_in(sandbox_)));
  const Outcome again = sandbox_.headway({"run", "p.yaml", "--outputs", outputs});
  check(again.exit_code == 0,
        "the next run: exit code " + std::to_string(again.exit_code) + "\n" + again.all());
  check(results(outputs) == expected_, "the next run has other results\n" + again.all());
  if (!orphans)
    check(all_end(sandbox_), "left running after the next run: " + to_text(processes_in(sandbox_)));
  kill_processes_in(sandbox_);
}

void KillLoop::check_store(const std::string& outputs) {
  // A process that was just being started dies a little later, and holds its locks until then.
  if (!sandbox_.leftovers(outputs).empty()) {
    check(sandbox_.headway({"run", "p.yaml", "--outputs", outputs}).exit_code == 0,
          "one more run fails");
  }
  for (const std::string& name : sandbox_.leftovers(outputs)) check(false, "left behind: " + name);
  const Outcome verified = sandbox_.headway({"verify", "--outputs", outputs});
  check(verified.exit_code == 0 && verified.out.find("all whole") != std::string::npos,
        "verify: " + verified.all());
  const Outcome gc = sandbox_.headway({"gc", "--outputs", outputs});
  check(gc.exit_code == 0, "gc: " + gc.all());
  for (const std::string& name : sandbox_.temporaries(outputs)) check(false, "after gc: " + name);
  for (const std::string& name : sandbox_.list(outputs + "/.headway/partial"))
    check(false, "after gc: partial/" + name);
  check(results(outputs) == expected_, "after gc the results are others");
}

std::string KillLoop::round() {
  const std::string outputs = "out" + std::to_string(rounds_++);
  const Kill kill = choose_kill();
  problems_.clear();
  const LoopClock::time_point start = LoopClock::now();
  const auto run = sandbox_.start({"run", "p.yaml", "--outputs", outputs}, {.own_group = true});
  const bool hit = kill_at_random(*run, kill);
  const double moment = ms_since(start);
  const Outcome outcome = run->wait();
  if (hit) {
    ++kills_[static_cast<std::size_t>(kill)];
  } else {
    ++missed_;
    whole_ = std::min(whole_, moment);  // the run has ended: this is what one takes
  }
  check_killed_run(outcome, kill, hit);
  check_next_run(outputs, kill, hit);
  check_store(outputs);
  if (problems_.empty()) {
    sandbox_.sh("chmod -R u+w " + outputs + "; rm -rf " + outputs);
    return "";
  }
  return std::string(hit ? "killed: " : "no process was killed, but should have been: ") +
         name_of(kill) + ", after " + std::to_string(moment) + " ms\n" + outcome.all() + problems_;
}

}  // namespace headway::e2e
