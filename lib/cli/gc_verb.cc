// `headway gc`: what no pipeline needs any more.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/outputs_page.h"
#include "lib/cli/verbs.h"
#include "lib/run/plan.h"
#include "lib/store/housekeeping.h"
#include "lib/store/pipeline_state.h"
#include "lib/sweep/saved_sweep.h"
#include "lib/sweep/sweep_file.h"

namespace headway {
namespace {

std::string label_of(const KnownPipeline& known) {
  return known.variant.empty() ? known.name : known.name + "/" + known.variant;
}

struct GcArguments {
  PipelineArguments pipeline;
  std::string older_than;
  std::vector<std::string> forget;  // "addition", "addition/by-lr"
  bool dry_run = false;
};

// The file as its last run knew it or, where it was moved together with the outputs, as it is now;
// "" where it is nowhere.
Path file_now(const KnownPipeline& known, const Path& file, const Layout& layout,
              CommandLine& line) {
  try {
    if (line.files.exists(file) && read_pipeline_file(file, line.files).name == known.name)
      return file;
  } catch (const Error&) {
    return file;  // whoever reads it next says what is wrong
  }
  for (const Path& place : places_after_move(file, layout.outputs().parent_path())) {
    try {
      if (line.files.exists(place) && read_pipeline_file(place, line.files).name == known.name)
        return place;
    } catch (const Error&) {  // some other file
    }
  }
  return "";
}

void add_last_keys(const PipelineState& state, std::set<Digest>& keys) {
  for (const auto& [stage, last] : state.all()) keys.insert({last->key, last->good_key});
}

// Why nobody can tell what the file as it stands now would find; "" where its keys were added.
std::string add_planned_keys(const KnownPipeline& known, const PipelineState& state, Store& store,
                             CommandLine& line, std::set<Digest>& keys) {
  if (state.file().empty()) return "its history is damaged";
  const Path file = file_now(known, state.file(), store.layout(), line);
  if (file.empty()) return fmt::format("its file {} is gone", display_path(state.file()));
  try {
    const PipelineSpec pipeline = load_known(known, display_path(file), store.layout(), line);
    const Graph graph = build_graph(pipeline);
    FactMaker facts(pipeline, store);
    facts.keep_lists(false);
    const Plan plan =
        make_plan(pipeline, graph, store, state, facts, std::vector<bool>(graph.size(), true),
                  std::vector<bool>(graph.stages, false));
    for (const StagePlan& stage : plan.stages) keys.insert(stage.key);
    return "";
  } catch (const Error&) {
    return fmt::format("its file {} cannot be read now", display_path(file));
  }
}

// Keys that a pipeline still needs: what its stages did last, and what the file as it stands now
// would find; all that it ever made where that cannot be told.
void add_keys_in_use(const KnownPipeline& known, Store& store, CommandLine& line,
                     std::set<Digest>& keys) {
  const PipelineState state(line.files, store.layout(), known.name, known.variant);
  add_last_keys(state, keys);
  const std::string problem = add_planned_keys(known, state, store, line, keys);
  if (problem.empty()) return;
  const std::string label = label_of(known);
  complain(
      "{}: {}; all its results are kept until it has run again; to remove them: headway gc "
      "--forget {}\n",
      label, problem, quote_for_shell(label));
  keys.merge(recorded_keys_of(store, label));
}

// Why nobody can run it any more, so that what it made is garbage; "" where somebody can, or may.
std::string abandoned(const KnownPipeline& known, const GcArguments& arguments, Store& store,
                      CommandLine& line) {
  const std::vector<std::string>& forget = arguments.forget;
  if (std::find(forget.begin(), forget.end(), label_of(known)) != forget.end())
    return "it is to be forgotten";
  if (known.variant.empty()) return "";
  const std::string file =
      PipelineState(line.files, store.layout(), known.name, known.variant).file();
  if (file.empty() || !line.files.exists(file)) return "";
  const auto request = recall_sweep(line.files, store.layout(), known.name, known.variant);
  try {
    const PipelineFile read = read_file_with_sweeps(file, line.files);
    if (!request) return read.variants.find(known.variant) ? "" : "its file has no such variant";
    const bool declared = !request->changes.axes.empty() || sweeps_of(read).find(request->name);
    return declared ? "" : "its file has no such sweep";
  } catch (const Error&) {  // cannot be read now
    return "";
  }
}

// All pipelines that ran, as gc sees them.
struct Census {
  std::set<Digest> keys;                                  // in use
  std::vector<KnownPipeline> dropped;                     // those whose results are not kept
  std::map<std::string, std::set<std::string>> variants;  // of those that are, by pipeline
};

Census take_census(const GcArguments& arguments, double minimum_age, Store& store,
                   CommandLine& line) {
  Census census;
  for (const KnownPipeline& known : known_pipelines(line.files, store.layout())) {
    const std::string why = abandoned(known, arguments, store, line);
    const double age = static_cast<double>(line.files.now_ns() - known.last_used) * 1e-9;
    if (!why.empty() && age >= minimum_age) {
      census.dropped.push_back(known);
      say("{}: {}, so its results are not kept\n", label_of(known), why);
      continue;
    }
    census.variants[known.name].insert(known.variant);
    if (why.empty()) {
      add_keys_in_use(known, store, line, census.keys);
    } else {  // young: spared as a whole, so that its links lead somewhere
      say("{}: {}, but it ran {} ago, so its last results are kept\n", label_of(known), why,
          format_seconds(age));
      add_last_keys(PipelineState(line.files, store.layout(), known.name, known.variant),
                    census.keys);
    }
  }
  return census;
}

void refuse_unknown_names(const std::vector<std::string>& names, const Layout& layout,
                          CommandLine& line) {
  std::vector<std::string> labels;
  for (const KnownPipeline& known : known_pipelines(line.files, layout))
    labels.push_back(label_of(known));
  for (const std::string& name : names) {
    if (std::find(labels.begin(), labels.end(), name) != labels.end()) continue;
    const std::string guess = did_you_mean(name, labels);
    throw UsageError(fmt::format("--forget: no '{}' has run with outputs in {}{}", printable(name),
                                 display_path(layout.outputs()),
                                 guess.empty() ? "; there are " + join(labels, ", ") : guess));
  }
}

// Links first and the history last: a gc that is killed in between can be asked for again.
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
    write_outputs_page(line.files, outputs);
}

void print_garbage(const std::vector<Garbage>& garbage) {
  std::map<std::string, std::pair<std::size_t, std::uint64_t>> sums;
  std::vector<std::vector<std::string>> rows;
  for (const Garbage& item : garbage) {
    auto& [count, bytes] = sums[kind_name(item.kind)];
    ++count;
    bytes += item.bytes;
    if (item.kind == Garbage::Kind::kRecord || item.kind == Garbage::Kind::kPartial ||
        item.kind == Garbage::Kind::kContinuation || item.bytes > 1'000'000) {
      rows.push_back({fmt::format("  {}", kind_name(item.kind)),
                      item.label.empty() ? item.path.filename().string().substr(0, 16) : item.label,
                      format_bytes(item.bytes), format_seconds(item.age_seconds) + " old"});
    }
  }
  constexpr std::size_t kMost = 40;
  const std::size_t more = rows.size() > kMost ? rows.size() - kMost : 0;
  if (more) rows.resize(kMost);
  say("{}", format_table(rows));
  if (more) say("  … and {} more\n", more);
  for (const auto& [kind, sum] : sums)
    say("{} {}{}, {}\n", sum.first, kind, sum.first == 1 ? "" : "s", format_bytes(sum.second));
}

int gc(const GcArguments& arguments, CommandLine& line) {
  double minimum_age = 0;
  if (!arguments.older_than.empty()) {
    const std::optional<double> age = parse_duration(arguments.older_than);
    if (!age)
      throw UsageError(fmt::format("--older-than expects a time such as 7d or 12h, got '{}'",
                                   printable(arguments.older_than)));
    minimum_age = *age;
  }
  Store store(line.files, arguments.pipeline.outputs_path());
  if (!line.files.exists(store.layout().root()))
    throw UsageError(
        fmt::format("there is no store in {}", display_path(store.layout().outputs())));
  const std::unique_ptr<FileLock> alone = lock_store(store, LockMode::kExclusive);
  if (!alone)
    throw Error(
        "another headway process is running on this store; nothing was removed. Try again when it "
        "has ended");
  refuse_unknown_names(arguments.forget, store.layout(), line);
  const Census census = take_census(arguments, minimum_age, store, line);
  const std::vector<Garbage> garbage = find_garbage(store, census.keys, minimum_age);
  std::uint64_t bytes = 0;
  for (const Garbage& item : garbage) bytes += item.bytes;
  print_garbage(garbage);
  if (!arguments.dry_run) remove_dropped(census, garbage, store, line);
  say("{} {}\n", arguments.dry_run ? "would free" : "freed", format_bytes(bytes));
  return 0;
}

}  // namespace

void add_gc(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<GcArguments>();
  CLI::App& verb = add_verb(
      app, line, "gc", "remove from the store what no current pipeline needs",
      "  headway gc --dry-run             what would go, how large and how old it is\n"
      "  headway gc --older-than 7d\n"
      "  headway gc --forget addition/by-lr     also what only that sweep needs, and its links\n",
      [arguments, &line] { return gc(*arguments, line); });
  verb.add_flag("-n,--dry-run", arguments->dry_run, "only say what would be removed");
  verb.add_option("--forget", arguments->forget,
                  "results that nobody needs: PIPELINE, PIPELINE/VARIANT or PIPELINE/SWEEP")
      ->type_name("NAME")
      ->allow_extra_args(false);
  verb.add_option("--older-than", arguments->older_than, "spare what is younger")
      ->type_name("TIME");
  arguments->pipeline.add_outputs(verb);
}

}  // namespace headway
