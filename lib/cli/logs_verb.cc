// `headway logs`: what a stage printed, or prints.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/interrupt.h"
#include "lib/base/text.h"
#include "lib/cli/log_follower.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"
#include "lib/cluster/detached.h"
#include "lib/run/live_run.h"
#include "lib/store/pipeline_state.h"

namespace headway {
namespace {

constexpr int kLookEveryMs = 250;

struct LogArguments : PipelineArguments {
  std::vector<std::string> words;  // [PIPELINE] STAGE
  std::size_t lines = 0;
  bool path = false;
  bool follow = false;
};

// A stage of a pipeline that has run or runs.
struct LoggedStage {
  KnownPipeline pipeline;
  std::string stage;
};

// In the given pipeline or, without one, in the pipeline that ran last and has such a stage.
LoggedStage find_stage(const LogArguments& arguments, Store& store, CommandLine& line) {
  const std::string& stage = arguments.words.back();
  std::vector<std::string> names;
  if (arguments.words.size() == 2 || !arguments.sets.empty()) {
    PipelineArguments pipeline = arguments;
    if (arguments.words.size() == 2) pipeline.file = arguments.words[0];
    PipelineSpec spec = load(pipeline, line);
    const std::vector<StageId> selected = select_stages(spec, stage);
    if (selected.size() > 1)
      throw UsageError("'{}' is {} stages; name one, for example {}", stage, selected.size(),
                       spec.stages[selected.front()].name);
    return {{spec.name, spec.variant}, spec.stages[selected.front()].name};
  }
  const std::vector<LiveRun> runs = live_runs(line.files, store.layout());
  for (const KnownPipeline& known : known_pipelines(line.files, store.layout())) {
    if (!arguments.variant.empty() && known.variant != arguments.variant) continue;
    const PipelineState state(line.files, store.layout(), known.name, known.variant);
    if (state.find(stage) ||
        LiveStages(line.files, store.layout(), known.label(), runs).is_queued(stage, nullptr))
      return {known, stage};
    for (const auto& [name, unused] : state.all()) names.push_back(name);
  }
  throw UsageError("no stage '{}' has run with outputs in {}{}", printable(stage),
                   display_path(store.layout().outputs()), did_you_mean(stage, names));
}

std::string_view last_lines(std::string_view text, std::size_t lines) {
  if (lines == 0) return text;
  std::size_t at = text.size();
  for (std::size_t i = 0; i <= lines && at != std::string_view::npos; ++i)
    at = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return at == std::string_view::npos ? text : text.substr(at + 1);
}

// A program gets the exact bytes. A terminal would obey control characters, so they are replaced.
void print_log(std::string_view text) {
  ::isatty(STDOUT_FILENO) != 0 ? print_for_people(text) : print_exactly(text);
}

// Where the stage stands now.
struct Moment {
  LastState last;
  bool is_running = false;
  bool is_queued = false;
  std::string waiting = {};                      // for what, if it runs but has no node yet
  std::optional<DetachedAttempt> detached = {};  // if no run has it, but a cluster

  bool goes_on() const { return is_running || is_queued || (detached && !detached->has_ended); }
};

std::optional<DetachedAttempt> find_detached(const Digest& key, Store& store) {
  for (DetachedAttempt& attempt : detached_attempts(store.files(), store.layout().cluster())) {
    if (attempt.key == key) return std::move(attempt);
  }
  return std::nullopt;
}

Moment moment_of(const LoggedStage& logged, Store& store) {
  std::vector<LiveRun> runs = live_runs(store.files(), store.layout());
  Moment moment;
  moment.last =
      PipelineState(store.files(), store.layout(), logged.pipeline.name, logged.pipeline.variant)
          .find(logged.stage);
  runs = live_runs(store.files(), store.layout(), std::move(runs));
  const LiveStages live(store.files(), store.layout(), logged.pipeline.label(), std::move(runs));
  const LiveStage* running = live.running(logged.stage, moment.last);
  moment.is_running = running != nullptr;
  if (running) moment.waiting = running->waiting;
  moment.is_queued = !moment.is_running && live.is_queued(logged.stage, moment.last);
  const bool was_left = moment.last && (moment.last->status == StageStatus::kRunning ||
                                        moment.last->status == StageStatus::kCancelled);
  if (was_left && !moment.is_running && !moment.is_queued)
    moment.detached = find_detached(moment.last->key, store);
  return moment;
}

// Why nothing new may come for a while; "": the stage runs, or has ended.
std::string standstill_text(const LoggedStage& logged, const Moment& moment) {
  const std::string& stage = logged.stage;
  if (moment.is_queued)
    return fmt::format("stage '{}' is queued; its log follows when it starts", stage);
  if (!moment.waiting.empty())
    return fmt::format("stage '{}' is waiting: {}", stage, moment.waiting);
  if (moment.detached && !moment.detached->has_ended)
    return fmt::format("stage '{}' is {}; its run has ended", stage, moment.detached->words);
  return "";
}

// Prints what the stage has printed and prints until it has ended.
int follow(const LoggedStage& logged, std::size_t lines, Store& store) {
  Interrupt interrupt;
  const SignalGuard signals(interrupt);
  std::optional<LogFollower> log;
  std::string said;
  std::string cut;  // the beginning of a line, which a terminal gets as a whole
  const bool is_terminal = ::isatty(STDOUT_FILENO) != 0;
  while (!interrupt.requested()) {
    const Moment moment = moment_of(logged, store);
    const std::string text = standstill_text(logged, moment);
    if (!text.empty() && std::exchange(said, text) != text) complain("{}\n", text);
    if (!moment.is_queued && moment.last) {
      const Path path = store.layout().log(moment.last->key);
      const bool is_first = !log;
      if (!log || log->path() != path) log.emplace(path);
      cut += is_first ? last_lines(log->take(), lines) : log->take();
      const std::size_t whole = is_terminal ? cut.rfind('\n') + 1 : cut.size();
      print_log(std::string_view(cut).substr(0, whole));
      cut.erase(0, whole);
      std::fflush(stdout);
    }
    if (!moment.goes_on()) {
      print_log(cut);
      return 0;
    }
    pollfd stop{interrupt.descriptor(), POLLIN, 0};
    ::poll(&stop, 1, kLookEveryMs);
  }
  return 130;
}

int logs(const LogArguments& arguments, CommandLine& line) {
  Store store(line.files, arguments.outputs_path());
  const LoggedStage logged = find_stage(arguments, store, line);
  const Moment moment = moment_of(logged, store);
  if (arguments.follow && moment.goes_on()) return follow(logged, arguments.lines, store);
  if (!moment.last) throw Error("stage '{}' has not run yet", logged.stage);
  const Path path = store.layout().log(moment.last->key);
  if (arguments.path) {
    say("{}\n", display_path(path));
    return 0;
  }
  std::optional<std::string> text = line.files.read(path);
  if (!text) throw Error("the log {} is gone", display_path(path));
  if (text->empty()) complain("the log {} is empty\n", display_path(path));
  print_log(last_lines(*text, arguments.lines));
  if (arguments.follow)
    complain("stage '{}' {}\n", logged.stage,
             moment.detached ? moment.detached->words : "is not running");
  return 0;
}

}  // namespace

void add_logs(CLI::App& app, CommandLine& line) {
  auto [verb, arguments] =
      add_verb(app, line, "logs", "what a stage printed when it last ran, or prints now",
               "  headway logs train                of the pipeline that ran last\n"
               "  headway logs -f train             follow it until the stage ends\n"
               "  headway logs p.yaml train -n 20   the last 20 lines\n"
               "  less $(headway logs train --path)\n",
               logs);
  verb.add_option("STAGE", arguments.words, "[PIPELINE] STAGE")->required()->expected(1, 2);
  arguments.add_options(verb);
  verb.add_option("-n,--lines", arguments.lines, "only the last N lines")->type_name("N");
  CLI::Option* path = verb.add_flag("--path", arguments.path, "print the path of the log");
  verb.add_flag("-f,--follow", arguments.follow,
                "go on with what a running stage prints, through all its attempts, until it ends")
      ->excludes(path);
}

}  // namespace headway
