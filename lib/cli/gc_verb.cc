// `headway gc`: removes what no pipeline needs.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/known_label.h"
#include "lib/cli/output.h"
#include "lib/cli/pages.h"
#include "lib/cli/project.h"
#include "lib/cli/verbs.h"
#include "lib/cluster/detached.h"
#include "lib/run/inspection.h"
#include "lib/spec/variation.h"
#include "lib/store/housekeeping.h"
#include "lib/store/pipeline_state.h"
#include "lib/sweep/saved_sweep.h"
#include "lib/sweep/sweep_spec.h"

namespace headway {
namespace {

struct GcArguments : PipelineArguments {
  std::string older_than;
  std::vector<std::string> forget;  // "addition", "addition/by-lr"
  bool dry_run = false;
  bool yes = false;
};

// The file's path as its last run knew it or, if it was moved together with the outputs, its new
// one; "" if it is gone.
Path file_now(const KnownPipeline& known, const Path& file, const Layout& layout,
              CommandLine& line) {
  const auto has_it = [&](const Path& place) {
    return line.files.exists(place) && read_pipeline_file(place, line.files).name == known.name;
  };
  try {
    if (has_it(file)) return file;
  } catch (const Error&) {
    return file;  // whoever reads it next reports what is wrong
  }
  for (const Path& place : places_after_move(file, layout.outputs().parent_path())) {
    try {
      if (has_it(place)) return place;
    } catch (const Error&) {  // some other file
    }
  }
  return "";
}

void add_last_keys(const PipelineState& state, std::set<Digest>& keys) {
  for (const auto& [stage, last] : state.all()) keys.insert({last->key, last->good_key});
}

// Adds the keys that the file as it is now would find. Why that is impossible; "" if it is not.
std::string add_planned_keys(const KnownPipeline& known, const PipelineState& state, Store& store,
                             CommandLine& line, std::set<Digest>& keys) {
  if (state.file().empty()) return "its history is damaged";
  const Path file = file_now(known, state.file(), store.layout(), line);
  if (file.empty()) return fmt::format("its file {} is gone", display_path(state.file()));
  try {
    const Inspection inspection(load_known(known, display_path(file), store.layout(), line), store);
    for (const StagePlan& stage : inspection.plan.stages) keys.insert(stage.key);
    return "";
  } catch (const Error&) {
    const std::vector<std::string> arguments = state.arguments();
    return fmt::format("its file {} cannot be read now{}", display_path(file),
                       arguments.empty() ? "" : " with " + quote_for_shell(arguments));
  }
}

// Adds the keys that a pipeline needs: those of its last runs, and those that the file as it is now
// would find or, if that is unknown, all that it ever made.
void add_keys_in_use(const KnownPipeline& known, Store& store, CommandLine& line,
                     std::set<Digest>& keys) {
  const PipelineState state(line.files, store.layout(), known.name, known.variant);
  add_last_keys(state, keys);
  const std::string problem = add_planned_keys(known, state, store, line, keys);
  if (problem.empty()) return;
  complain(
      "{}: {}; all its results are kept until it has run again; to remove them: headway gc "
      "--forget {}\n",
      known.label(), problem, quote_for_shell(known.label()));
  keys.merge(recorded_keys_of(store, known.label()));
}

// Why it cannot run any more, so that its results are garbage; "" if it can, or might.
std::string abandoned(const KnownPipeline& known, const GcArguments& arguments, Store& store,
                      CommandLine& line) {
  const std::vector<std::string>& forget = arguments.forget;
  if (std::ranges::find(forget, known.label()) != forget.end()) return "it is to be forgotten";
  return gone_from_file(known, store.layout(), line);
}

// All pipelines that have run.
struct Census {
  std::set<Digest> keys;                                  // in use
  std::vector<KnownPipeline> dropped;                     // whose results are not kept
  std::map<std::string, std::set<std::string>> variants;  // that are kept, by pipeline
};

Census take_census(const GcArguments& arguments, double minimum_age, Store& store,
                   CommandLine& line) {
  Census census;
  for (const KnownPipeline& known : known_pipelines(line.files, store.layout())) {
    const std::string why = abandoned(known, arguments, store, line);
    const double age = static_cast<double>(line.files.now_ns() - known.last_used) * 1e-9;
    if (!why.empty() && age >= minimum_age) {
      census.dropped.push_back(known);
      say("{}: {}, so its results are not kept\n", known.label(), why);
      continue;
    }
    census.variants[known.name].insert(known.variant);
    if (why.empty()) {
      add_keys_in_use(known, store, line, census.keys);
    } else {  // too young: keep all of it, so that no link dangles
      say("{}: {}, but it ran {} ago, so its last results are kept\n", known.label(), why,
          format_seconds(age));
      add_last_keys(PipelineState(line.files, store.layout(), known.name, known.variant),
                    census.keys);
    }
  }
  return census;
}

void refuse_unknown_names(const std::vector<std::string>& names, const Layout& layout,
                          CommandLine& line) {
  const std::vector<std::string> labels =
      texts_of(known_pipelines(line.files, layout), &KnownPipeline::label);
  for (const std::string& name : names) {
    if (std::find(labels.begin(), labels.end(), name) != labels.end()) continue;
    const std::string guess = did_you_mean(name, labels);
    throw UsageError("--forget: no '{}' has run with outputs in {}{}", printable(name),
                     display_path(layout.outputs()),
                     guess.empty() ? "; there are " + join(labels, ", ") : guess);
  }
}

// Links first, the history last: if gc is killed in between, it can be repeated.
void remove_dropped(const Census& census, const std::vector<Garbage>& garbage, Store& store,
                    CommandLine& line) {
  for (const KnownPipeline& known : census.dropped) {
    const auto others = census.variants.find(known.name);
    hide_results(store, known.name, known.variant,
                 others == census.variants.end() ? std::set<std::string>() : others->second);
  }
  remove_garbage(store, garbage);
  for (const KnownPipeline& known : census.dropped) {
    line.files.remove(saved_sweep_file(store.layout(), known.name, known.variant));
    line.files.remove(store.layout().state(known.name, known.variant));
  }
  const Path& outputs = store.layout().outputs();
  if (!census.dropped.empty() && line.files.exists(outputs / "index.html"))
    write_outputs_page(outputs, line);
}

void print_garbage(const std::vector<Garbage>& garbage) {
  std::map<std::string, std::pair<std::size_t, std::uint64_t>> sums;
  std::vector<std::vector<std::string>> rows;
  for (const Garbage& item : garbage) {
    auto& [count, bytes] = sums[name_of(item.kind)];
    ++count;
    bytes += item.bytes;
    if (item.kind == Garbage::Kind::kRecord || item.kind == Garbage::Kind::kPartial ||
        item.kind == Garbage::Kind::kPrefixState || item.bytes > 1'000'000)
      rows.push_back({fmt::format("  {}", name_of(item.kind)),
                      item.label.empty() ? item.path.filename().string().substr(0, 16) : item.label,
                      format_bytes(item.bytes), format_seconds(item.age_seconds) + " old"});
  }
  constexpr std::size_t kMost = 40;
  const std::size_t more = rows.size() > kMost ? rows.size() - kMost : 0;
  if (more) rows.resize(kMost);
  say("{}", format_table(rows));
  if (more) say("  … and {} more\n", more);
  for (const auto& [kind, sum] : sums)
    say("{}, {}\n", count_of(sum.first, kind), format_bytes(sum.second));
}

// On a terminal, results go only after a question; elsewhere, what was printed must do.
bool may_remove(const std::vector<Garbage>& garbage, const GcArguments& arguments) {
  const auto results = std::ranges::count(garbage, Garbage::Kind::kRecord, &Garbage::kind);
  if (results == 0 || arguments.yes || !::isatty(STDIN_FILENO) || !::isatty(STDOUT_FILENO))
    return true;
  say("remove {}, which cannot be undone? [y/N] ",
      count_of(static_cast<std::size_t>(results), "result"));
  std::fflush(stdout);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

int gc(const GcArguments& arguments, CommandLine& line) {
  const auto minimum_age =
      arguments.older_than.empty() ? std::optional(0.0) : parse_duration(arguments.older_than);
  if (!minimum_age)
    throw UsageError("--older-than expects a time such as 7d or 12h, got '{}'",
                     printable(arguments.older_than));
  Store store(line.files, arguments.outputs_path());
  if (!line.files.exists(store.layout().root()))
    throw UsageError("there is no store in {}", display_path(store.layout().outputs()));
  require_writable(store.layout().outputs());
  const std::unique_ptr<FileLock> alone = lock_store(store, LockMode::kExclusive);
  if (!alone)
    throw Error(
        "another headway process is running on this store; nothing was removed. Try again when it "
        "has ended");
  if (has_detached_agents(line.files, store.layout().cluster()))
    throw Error(
        "stages of an earlier run are still running on the cluster; nothing was removed. "
        "`headway status` names them, and `headway run … --on slurm` takes them over");
  refuse_unknown_names(arguments.forget, store.layout(), line);
  const Census census = take_census(arguments, *minimum_age, store, line);
  const std::vector<Garbage> garbage = find_garbage(store, census.keys, *minimum_age);
  std::uint64_t bytes = 0;
  for (const Garbage& item : garbage) bytes += item.bytes;
  print_garbage(garbage);
  const bool removes = !arguments.dry_run && may_remove(garbage, arguments);
  if (removes) {
    remove_dropped(census, garbage, store, line);
    remove_dead_sessions(line.files, store.layout().cluster());
  }
  say("{} {}\n",
      removes             ? "freed"
      : arguments.dry_run ? "would free"
                          : "nothing was removed; that would free",
      format_bytes(bytes));
  return 0;
}

}  // namespace

void add_gc(CLI::App& app, CommandLine& line) {
  auto [verb, arguments] = add_verb(
      app, line, "gc", "remove from the store what no current pipeline needs",
      "  headway gc --dry-run             what would go, how large and how old it is\n"
      "  headway gc --older-than 7d\n"
      "  headway gc --forget addition/by-lr     also what only that sweep needs, and its links\n",
      gc);
  verb.add_flag("-n,--dry-run", arguments.dry_run, "only say what would be removed");
  verb.add_flag("-y,--yes", arguments.yes, "do not ask (only asks on a terminal)");
  verb.add_option("--forget", arguments.forget,
                  "results that nobody needs: PIPELINE, PIPELINE/VARIANT, PIPELINE/SWEEP or, of "
                  "--set, PIPELINE/NAME=VALUE")
      ->type_name("NAME")
      ->allow_extra_args(false);
  verb.add_option("--older-than", arguments.older_than, "spare what is younger")->type_name("TIME");
  arguments.add_outputs(verb);
}

}  // namespace headway
