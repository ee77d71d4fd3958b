#include "lib/cli/engine.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "lib/base/error.h"
#include "lib/base/guardian.h"
#include "lib/base/machine.h"
#include "lib/base/text.h"
#include "lib/cli/origin.h"
#include "lib/cli/output.h"
#include "lib/cli/project.h"
#include "lib/cluster/detached.h"
#include "lib/observers/observers.h"
#include "lib/observers/stop_notice.h"
#include "lib/report/default_report.h"
#include "lib/run/inspection.h"
#include "lib/run/runner.h"
#include "lib/run/session.h"
#include "lib/sweep/sweep_report.h"
#include "lib/sweep/trial_tracker.h"

namespace headway {
namespace {

std::shared_ptr<spdlog::logger> plain_logger() {
  auto logger = std::make_shared<spdlog::logger>("headway",
                                                 std::make_shared<spdlog::sinks::stdout_sink_mt>());
  logger->set_pattern("%T %v");
  return logger;
}

std::unique_ptr<Observer> people_observer(const RunSettings& settings) {
  if (settings.json) return make_json_observer(stdout);
  if (is_live_terminal() && !settings.quiet) {
    const char* no_colour = std::getenv("NO_COLOR");
    return make_terminal_observer(stdout, !no_colour || !*no_colour);
  }
  return make_log_observer(plain_logger(), settings.quiet);
}

std::uint64_t machine_memory() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Stages that a cluster's executor holds for each cpu, so that none waits for the next: short ones
// are sent many at a time.
constexpr int kQueuedForEach = 15;

std::string new_session_id() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return fmt::format("{}-{}", std::chrono::duration_cast<std::chrono::milliseconds>(now).count(),
                     ::getpid());
}

int default_cpus() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

RunSettings::RunSettings() : limits{default_cpus(), machine_memory(), false, machine_gpus()} {}

void RunSettings::add_to(CLI::App& verb) {
  verb.add_option(
          "-j,--jobs", jobs,
          "how many cpus stages may use together (default: all; on a cluster, those of its jobs)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  verb.add_option("--on", on,
                  "where stages run: local, or slurm for a cluster (default: as "
                  "headway-site.yaml says, else local)")
      ->type_name("PLACE")
      ->check(CLI::IsMember({"local", "slurm"}));
  verb.add_flag("--detach", detach,
                "on a cluster: ctrl-C leaves running stages there, for the next run to take over");
  verb.add_flag("-q,--quiet", quiet, "only warnings and failures");
  verb.add_flag("--json", json, "one JSON event a line, for programs (docs/json.md)");
}

RunSettings RunSettings::at_site(const std::string& pipeline_file, FileSystem& files,
                                 const StageRegistry& types) const {
  RunSettings settings = *this;
  const ClusterSite found = load_site(files, project_root(pipeline_file), types);
  settings.site = found.slurm;
  if (settings.on.empty()) settings.on = found.on;
  if (settings.is_on_cluster()) {
    settings.limits.cpus = settings.site.jobs * settings.site.allocation.cpus;
    settings.limits.memory = 0;
    settings.limits.gpus = -1;
  } else if (detach) {
    throw UsageError("--detach needs --on slurm: stages on this machine end with the run");
  }
  if (jobs > 0) settings.limits.cpus = jobs;
  if (settings.is_on_cluster()) settings.limits.queued = kQueuedForEach * settings.limits.cpus;
  return settings;
}

Engine::Guarded::Guarded() {
  start_guardian();
}

Engine::Guarded::~Guarded() {
  kill_descendants();
}

Engine::Engine(Store& store, const StageRegistry& types, const RunSettings& settings)
    : store_(store),
      types_(types),
      settings_(settings),
      signals_(interrupt_),
      commands_(processes_),
      workers_(processes_, worker_program()) {}

void Engine::prepare_cluster(const PipelineSpec& pipeline) {
  if (!settings_.is_on_cluster() || cluster_) return;
  const std::string missing = slurm_.missing();
  if (!missing.empty())
    throw UsageError("Slurm cannot be used here ({}); --on local runs stages on this machine",
                     missing);
  if (!slurm_.complaint().empty())
    warn("Slurm does not answer (" + slurm_.complaint() + "); waiting for it");
  ClusterSettings cluster{.site = settings_.site,
                          .folder = store_.layout().cluster(),
                          .session = new_session_id(),
                          .pipeline = pipeline.label(),
                          .program = std::filesystem::read_symlink("/proc/self/exe"),
                          .worker = worker_program(),
                          .cpus = settings_.jobs,
                          .detach = settings_.detach,
                          .interrupt = &interrupt_};
  cluster_ = std::make_unique<ClusterExecutor>(store_.files(), slurm_, std::move(cluster),
                                               [this](const std::string& text) { warn(text); });
}

// What an earlier run has left running: the keys, and where.
std::map<Digest, std::string> Engine::left_on_cluster() {
  std::map<Digest, std::string> left;
  for (const DetachedAttempt& attempt :
       detached_attempts(store_.files(), store_.layout().cluster()))
    if (!attempt.has_ended) left[attempt.key] = attempt.words;
  return left;
}

// From the cluster's threads.
void Engine::warn(const std::string& text) {
  const std::lock_guard lock(observer_mutex_);
  if (observer_) observer_->warning(text);
}

RunSummary Engine::run(const Task& task) {
  require_writable(store_.layout().outputs());
  RunSession session(store_, interrupt_);
  Observers observers;
  observers.add(people_observer(settings_));
  observers.add(make_trace_observer(session.folder()));
  observers.add(make_live_observer(store_.files(), store_.layout().live_run(session.id())));
  const StopNotice notice(interrupt_, observers, settings_.detach);
  RunOptions options{settings_.limits, task.selection, task.forgets, {}};
  options.resume_on_other_numerics = settings_.site.resume_on_other_cpus;
  options.origin = [&] { return origin_of(task.pipeline, session.work()); };
  // `headway report` adds a report, and a sweep's figure, to a file that declares none; other runs
  // leave them in place.
  if (report_stages(task.pipeline).empty())
    options.kept_stages = {default_report_name(task.pipeline), kDefaultFigure};
  std::optional<TrialTracker> tracker;
  if (task.sweep) tracker.emplace(*task.sweep, store_, observers);
  Observer& watching = tracker ? static_cast<Observer&>(*tracker) : observers;
  const auto observe = [this](Observer* observer) {
    const std::lock_guard lock(observer_mutex_);
    observer_ = observer;
  };
  observe(&watching);
  const std::shared_ptr<void> at_end(nullptr, [&](void*) { observe(nullptr); });
  prepare_cluster(task.pipeline);
  DispatchingExecutor executor(
      types_, cluster_ ? *cluster_ : static_cast<StageExecutor&>(commands_),
      cluster_ ? *cluster_ : static_cast<StageExecutor&>(workers_), left_on_cluster());
  const RunSummary summary = Runner(task.pipeline, task.graph, store_, session, executor, watching,
                                    interrupt_, std::move(options))
                                 .run();
  OutputsTree tree(store_, task.pipeline.name, task.pipeline.variant, session.work());
  tree.show_file("trace.json", session.folder() / "trace.json");
  return summary;
}

Path worker_program() {
  if (const char* set = std::getenv("HEADWAY_WORKER")) return set;
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "headway-worker";
}

bool has_worker() {
  std::error_code error;
  return std::filesystem::exists(worker_program(), error);
}

void print_plan(const PipelineSpec& pipeline, Store& store, const RunSettings& settings,
                const Selection& selection) {
  const Inspection inspection(pipeline, store, selection);
  refuse_taken_name(pipeline, inspection.state, store);
  refuse_others(pipeline, inspection.graph, selection, inspection.plan, inspection.state, store);
  refuse_missing_gpus(pipeline, inspection.graph, selection, inspection.plan, settings.limits.gpus);
  constexpr std::size_t kMostLines = 200;
  std::vector<std::vector<std::string>> rows;
  std::size_t fresh = 0;
  for (const NodeId node : inspection.graph.order) {
    if (!inspection.graph.is_stage(node) || !selection.has(node)) continue;
    const StageId stage = inspection.graph.stage_of(node);
    if (inspection.is_fresh(stage)) {
      ++fresh;
      continue;
    }
    const bool waits = inspection.plan.stages[stage].status == StageStatus::kWaiting;
    rows.push_back({waits ? "may run" : "would run", pipeline.stages[stage].name,
                    inspection.reason_of(stage)});
  }
  if (settings.json) {
    Json stages = Json::array();
    for (const auto& row : rows)
      stages.push_back({{"stage", row[1]}, {"action", row[0]}, {"reason", row[2]}});
    return print_document(
        {{"pipeline", pipeline.label()}, {"fresh", fresh}, {"stages", std::move(stages)}});
  }
  const std::size_t to_run = rows.size();
  if (to_run > kMostLines) {
    rows.resize(kMostLines);
    rows.push_back({fmt::format("… and {} more", to_run - kMostLines)});
  }
  say("{}{}: {} not fresh, {} fresh\n", format_table(rows), pipeline.label(), to_run, fresh);
}

}  // namespace headway
