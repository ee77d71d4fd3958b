// `headway status`: how each stage stands.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "lib/base/text.h"
#include "lib/cli/known_label.h"
#include "lib/cli/output.h"
#include "lib/cli/pipeline_status.h"
#include "lib/cli/verbs.h"
#include "lib/cli/watch.h"
#include "lib/cluster/detached.h"
#include "lib/store/pipeline_state.h"

namespace headway {
namespace {

struct StatusArguments : PipelineArguments {
  bool full = false;
  bool watches = false;
  bool json = false;
};

struct Statuses {
  std::vector<PipelineStatus> pipelines;
  std::vector<std::string> mistakes;  // of files that cannot be loaded

  int exit_code() const { return mistakes.empty() ? 0 : 2; }
};

// A label such as p/wide is no path, so it says nothing about where the outputs are.
Path outputs_path(const StatusArguments& arguments, bool is_label) {
  PipelineArguments found = arguments;
  if (is_label) found.file.clear();
  return found.outputs_path();
}

// For all pipelines of a look, because it reads every session.
std::vector<DetachedStage> left_on_cluster(Store& store) {
  std::vector<DetachedStage> stages;
  for (DetachedAttempt& attempt : detached_attempts(store.files(), store.layout().cluster()))
    stages.push_back({attempt.key, std::move(attempt.words), attempt.since});
  return stages;
}

class StatusFinder {
 public:
  StatusFinder(const StatusArguments& arguments, CommandLine& line)
      : arguments_(arguments), line_(line) {}

  // The pipeline of the arguments, or every one that has run here and that `wanted` accepts.
  Statuses find(const std::function<bool(const std::string& label)>& wanted) {
    const std::optional<KnownPipeline> named = find_label(arguments_, line_);
    Store store(line_.files, outputs_path(arguments_, named.has_value()));
    const std::vector<DetachedStage> detached = left_on_cluster(store);
    Statuses statuses;
    if (arguments_.names_pipeline() && !named) {
      statuses.pipelines.push_back(
          status_of(loaded("", [&] { return load(arguments_, line_); }), store, detached));
      return statuses;
    }
    const Layout& layout = store.layout();
    for (const KnownPipeline& known : known_pipelines(line_.files, layout)) {
      if (named ? known.label() != named->label() : !wanted(known.label())) continue;
      const std::string file = PipelineState(line_.files, layout, known.name, known.variant).file();
      if (file.empty()) continue;  // a damaged history, which the next run rewrites
      const auto load_it = [&] { return load_known(known, display_path(file), layout, line_); };
      try {
        const PipelineSpec& pipeline = loaded(known.label(), load_it);
        // --set may say now what the file says by itself.
        const auto is_it = [&](const PipelineStatus& other) {
          return other.pipeline == pipeline.label();
        };
        if (std::ranges::none_of(statuses.pipelines, is_it))
          statuses.pipelines.push_back(status_of(pipeline, store, detached));
      } catch (const PipelineError& error) {
        statuses.mistakes.push_back(mistake_of(known, display_path(file), error, layout));
      }
    }
    return statuses;
  }

 private:
  // Nobody gave the arguments that the history remembers, so a mistake in them needs a name.
  std::string mistake_of(const KnownPipeline& known, const std::string& file,
                         const PipelineError& error, const Layout& layout) {
    const std::string text = error.what();
    const std::string gone = gone_from_file(known, layout, line_);
    if (gone.empty() && !text.starts_with("--")) return text;
    return fmt::format("{}: {}; to forget its results: headway gc --forget {}", known.label(),
                       gone.empty() ? fmt::format("with {} as it is now, {}", file, text)
                                    : fmt::format("{} any more ({})", gone, file),
                       quote_for_shell(known.label()));
  }

  // While a person edits the file, it may have mistakes: then it counts as it was before.
  const PipelineSpec& loaded(const std::string& label, const std::function<PipelineSpec()>& load) {
    const auto known = loaded_.find(label);
    try {
      return loaded_.insert_or_assign(label, load()).first->second;
    } catch (const PipelineError&) {
      if (known == loaded_.end()) throw;
      return known->second;
    }
  }

  const StatusArguments& arguments_;
  CommandLine& line_;
  std::map<std::string, PipelineSpec> loaded_;
};

// Without a pipeline's name: those that run now, or ran at some moment of the watch.
int watch_statuses(const StatusArguments& arguments, CommandLine& line) {
  StatusFinder finder(arguments, line);
  Statuses statuses;
  std::set<std::string> seen;
  const int stopped = watch([&] {
    const Layout layout(arguments.outputs_path());
    const std::vector<LiveRun> runs = live_runs(line.files, layout);
    statuses = finder.find([&](const std::string& label) {
      return seen.contains(label) || LiveStages(line.files, layout, label, runs).any();
    });
    bool goes_on = false;
    for (const PipelineStatus& status : statuses.pipelines) {
      goes_on = goes_on || status.is_running;
      if (status.is_running) seen.insert(status.pipeline);
    }
    return Watched{statuses.pipelines, arguments.full, goes_on};
  });
  if (seen.empty())
    say("nothing is running (outputs: {})\n", display_path(arguments.outputs_path()));
  return stopped == 0 ? statuses.exit_code() : stopped;
}

void print_json(const Statuses& statuses) {
  Json document = {{"pipelines", Json::array()}};
  for (const PipelineStatus& pipeline : statuses.pipelines)
    document["pipelines"].push_back(pipeline.to_json());
  for (const std::string& text : statuses.mistakes) {
    for (const Json& mistake : mistakes_in(text)) document["errors"].push_back(mistake);
  }
  print_document(std::move(document));
}

int status(const StatusArguments& arguments, CommandLine& line) {
  if (arguments.watches) return watch_statuses(arguments, line);
  const Statuses statuses =
      StatusFinder(arguments, line).find([](const std::string&) { return true; });
  if (arguments.json) {
    print_json(statuses);
    return statuses.exit_code();
  }
  for (const std::string& text : statuses.mistakes) complain("{}\n", text);
  if (statuses.pipelines.empty() && statuses.mistakes.empty())
    say("no pipeline has run yet (outputs: {})\n", display_path(arguments.outputs_path()));
  const PrintedWidth width = printed_width();
  for (const PipelineStatus& pipeline : statuses.pipelines) {
    for (const std::string& text :
         pipeline.lines(arguments.full, width.is_terminal ? width.columns : 0))
      say("{}\n", text);
  }
  return statuses.exit_code();
}

}  // namespace

void add_status(CLI::App& app, CommandLine& line) {
  auto [verb, arguments] = add_verb(
      app, line, "status",
      "each stage: fresh, running, waiting (for a node of a cluster), queued, detached (left on a "
      "cluster by a run that has ended), interrupted, failed, stale (why), never run, or warning: "
      "fresh, but it misses an `expect` that warns",
      "  headway status                       every pipeline that has run here\n"
      "  headway status --watch               what runs now, until it ends\n"
      "  headway status p.yaml --full         every item of a matrix on a line of its own\n"
      "  headway status p.yaml --set seed=2   what another value would make stale\n",
      status);
  verb.add_option(
      "PIPELINE", arguments.file,
      "the pipeline's YAML file, or a name such as p/wide or p/n=2 (default: every pipeline that "
      "has run here)");
  arguments.add_options(verb);
  verb.add_flag("--full", arguments.full, "do not collapse matrix stages");
  CLI::Option* watch = verb.add_flag(
      "-w,--watch", arguments.watches,
      "show it anew every second until no run is left; not on a terminal: a line for each change");
  verb.add_flag("--json", arguments.json, kJsonHelp)->excludes(watch);
}

}  // namespace headway
