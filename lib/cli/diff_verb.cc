// `headway diff`: the parameters and metrics of two results, side by side.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"
#include "lib/numerics/table.h"
#include "lib/run/inspection.h"
#include "lib/spec/document.h"
#include "lib/sweep/saved_sweep.h"
#include "lib/sweep/successive_halving.h"
#include "lib/sweep/trial_results.h"

namespace headway {
namespace {

struct DiffArguments : PipelineArguments {
  std::string first;
  std::string second;
  bool all = false;
  bool json = false;
};

PipelineSpec load_file(const std::string& text, CommandLine& line) {
  const std::size_t at = text.rfind('@');
  const bool has_variant = at != std::string::npos && !line.files.exists(text);
  const LoadOptions options{has_variant ? text.substr(at + 1) : "", {}, {}};
  return load_file(has_variant ? text.substr(0, at) : text, options, line);
}

PipelineSpec load_trial(const SweepLoader& loader, const std::string& wanted) {
  std::vector<std::string> names;
  std::vector<Trial> trials = loader.trials();
  if (loader.sweep().is_halving()) {  // of each rung
    const std::vector<Trial> full = std::exchange(trials, {});
    for (const std::int64_t amount : plan_of(loader).amounts) {
      for (const Trial& trial : full) trials.push_back(loader.with_amount(trial, amount));
    }
  }
  for (const Trial& trial : trials) {
    if (trial.name == wanted) return loader.load_trial(trial);
    names.push_back(trial.name);
  }
  throw UsageError("sweep '{}' has no trial '{}'{}", loader.sweep().name, printable(wanted),
                   did_you_mean(wanted, names));
}

// "addition", "addition/wide", "addition/heads/seed=1", or the folder of one of them in outputs/.
PipelineSpec load_label(const std::string& text, const Layout& layout, CommandLine& line) {
  std::string label = text;
  std::error_code error;
  const Path relative = std::filesystem::absolute(text, error)
                            .lexically_normal()
                            .lexically_relative(layout.outputs());
  if (!relative.empty() && *relative.begin() != "..") label = relative.string();
  while (label.ends_with('/')) label.pop_back();
  const std::vector<std::string> parts = split(label, '/');
  const std::string variant = parts.size() > 1 ? parts[1] : "";
  const std::string file =
      is_pipeline_name(parts[0]) ? PipelineState(line.files, layout, parts[0], variant).file() : "";
  if (file.empty() || parts.size() > 3) {
    const std::vector<std::string> known =
        texts_of(known_pipelines(line.files, layout), &KnownPipeline::label);
    throw UsageError("'{}' is neither a pipeline's file nor results in {}{}", printable(text),
                     display_path(layout.outputs()),
                     known.empty() ? "" : fmt::format(" (there are {})", join(known, ", ")));
  }
  const auto request = find_saved_sweep(line.files, layout, parts[0], variant);
  if (!request) return load_known({parts[0], variant, 0}, display_path(file), layout, line);
  const SweepLoader loader(read_file_with_sweeps(display_path(file), line.files), *request,
                           line.stages, line.files);
  if (parts.size() == 3) return load_trial(loader, parts[2]);
  throw UsageError("'{}' is a sweep: name one of its trials, {}/NAME=VALUE,…", printable(text),
                   label);
}

PipelineSpec load_subject(const std::string& text, const DiffArguments& arguments,
                          CommandLine& line) {
  const Layout layout(arguments.outputs_path());
  const std::string file = text.substr(0, text.rfind('@'));
  const auto is_yaml = [](const std::string& name) {
    return name.ends_with(".yaml") || name.ends_with(".yml");
  };
  return is_yaml(text) || is_yaml(file) ? load_file(text, line) : load_label(text, layout, line);
}

struct Side {
  std::map<std::string, std::string> params;
  std::map<std::string, double> metrics;
  std::vector<std::string> order;               // of both
  std::map<std::string, std::string> numerics;  // of each stage that has a record of them
  std::size_t stages = 0;
  std::size_t missing = 0;  // stages without a fresh result

  bool has_no_result() const { return missing == stages; }

  std::string param(const std::string& path) const {  // "-": none
    const auto found = params.find(path);
    return found == params.end() ? "-" : found->second;
  }
  std::optional<double> metric(const std::string& path) const {
    const auto found = metrics.find(path);
    return found == metrics.end() ? std::nullopt : std::optional(found->second);
  }
};

void add_numbers(const Json& value, const std::string& path, Side& side) {
  if (value.is_object()) {
    for (const auto& [name, inner] : value.items()) add_numbers(inner, path + "." + name, side);
  } else if (value.is_number() || value.is_boolean()) {
    side.metrics[path] = value.is_boolean() ? (value.get<bool>() ? 1.0 : 0.0) : value.get<double>();
    side.order.push_back(path);
  }
}

Side side_of(PipelineSpec pipeline, const DiffArguments& arguments, CommandLine& line) {
  Store store(line.files, arguments.outputs_path());
  const Inspection inspection(std::move(pipeline), store);
  complain_of_damage(inspection);
  Side side;
  const auto add = [&](const std::string& prefix, const Value& params) {
    for (const auto& [path, value] : leaves_of(params)) {
      side.params[prefix + path] = value;
      side.order.push_back(prefix + path);
    }
  };
  add("", inspection.pipeline.params);
  for (const StageId id : inspection.pipeline.stages.ids()) {
    const StageSpec& stage = inspection.pipeline.stages[id];
    add(stage.name + ": ", stage.params);
    ++side.stages;
    side.missing += !inspection.is_fresh(id);
    add_numbers(inspection.metrics_of(id), stage.name, side);
    if (!inspection.is_fresh(id)) continue;
    const std::optional<Record> record = store.read_record(inspection.plan.stages[id].key);
    if (record && !record->numerics.empty()) side.numerics[stage.name] = record->numerics;
  }
  return side;
}

// Whether a parameter of a stage repeats one of the pipeline, which is listed already.
bool repeats_pipeline_param(const std::string& path, const Side& a, const Side& b) {
  const std::size_t colon = path.find(": ");
  if (colon == std::string::npos) return false;
  const std::string leaf = split(path.substr(colon + 2), '.').back();
  for (const auto& [name, own] : a.params) {
    if (name.find(": ") != std::string::npos || split(name, '.').back() != leaf) continue;
    if (own == a.param(path) && b.param(name) == b.param(path)) return true;
  }
  return false;
}

std::vector<std::string> paths_of_both(const Side& a, const Side& b) {
  std::vector<std::string> paths = a.order;
  for (const std::string& path : b.order) {
    if (!a.params.contains(path) && !a.metrics.contains(path)) paths.push_back(path);
  }
  return paths;
}

struct Difference {
  struct Param {
    std::string path, a, b;  // "-": none
  };
  struct Metric {
    std::string path;
    std::optional<double> a, b;
  };
  std::vector<Param> params;
  std::vector<Metric> metrics;
  std::vector<Param> numerics;  // of stages that both have
  std::size_t same = 0;         // metrics that are left out
};

Difference difference_of(const Side& a, const Side& b, bool all) {
  Difference difference;
  for (const std::string& path : paths_of_both(a, b)) {
    if (a.params.contains(path) || b.params.contains(path)) {
      if ((a.param(path) != b.param(path) || all) && !repeats_pipeline_param(path, a, b))
        difference.params.push_back({path, a.param(path), b.param(path)});
    } else if (a.metric(path) == b.metric(path) && !all) {
      ++difference.same;
    } else {
      difference.metrics.push_back({path, a.metric(path), b.metric(path)});
    }
  }
  for (const auto& [stage, numerics] : a.numerics) {
    const auto other = b.numerics.find(stage);
    if (other != b.numerics.end() && other->second != numerics)
      difference.numerics.push_back({stage, numerics, other->second});
  }
  return difference;
}

void print_rows(std::vector<std::string> titles, std::vector<std::vector<std::string>> rows,
                const char* if_none) {
  if (rows.empty()) return say("{}\n", if_none);
  rows.insert(rows.begin(), std::move(titles));
  say("{}", format_table(rows));
}

// A line for all stages with the same change.
void print_numerics(const Difference& difference) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> stages;
  for (const auto& [stage, a, b] : difference.numerics) stages[{a, b}].push_back(stage);
  for (const auto& [numerics, names] : stages) {
    const std::string who = names.size() == 1 ? fmt::format("stage '{}' was", names.front())
                                              : fmt::format("{} stages were", names.size());
    say("{} computed with {} in A and {} in B; last digits may differ\n", who,
        printable(numerics.first), printable(numerics.second));
  }
}

void print_text(const Difference& difference) {
  std::vector<std::vector<std::string>> params, metrics;
  for (const auto& [path, a, b] : difference.params)
    params.push_back({"  " + path, fit(printable(a), 40), fit(printable(b), 40)});
  const auto text = [](const std::optional<double>& metric) {
    return metric ? number_text(*metric) : "-";
  };
  for (const auto& [path, a, b] : difference.metrics) {
    std::string change;
    if (a && b && *a != *b) change = (*b > *a ? "+" : "") + number_text(*b - *a);
    metrics.push_back({"  " + path, text(a), text(b), change});
  }
  const std::size_t same = difference.same;
  print_rows({"parameter", "A", "B"}, std::move(params), "the parameters are the same");
  print_rows({"metric", "A", "B", "B - A"}, metrics,
             same > 0 ? "the metrics are the same" : "no metrics yet");
  if (same > 0 && !metrics.empty())
    say("{} more metric{} the same (--all)\n", same, same == 1 ? " is" : "s are");
  print_numerics(difference);
}

void complain_of_missing(const char* name, const Side& side) {
  if (side.missing > 0)
    complain("{}: {} stage{} ha{} no result with the file as it is now\n", name, side.missing,
             side.missing == 1 ? "" : "s", side.missing == 1 ? "s" : "ve");
}

Json side_json(const std::string& name, const Side& side) {
  return {{"name", name}, {"stages", side.stages}, {"missing", side.missing}};
}

Json difference_json(const Difference& difference) {
  const auto number = [](const std::optional<double>& metric) {
    return metric && std::isfinite(*metric) ? Json(*metric) : Json();
  };
  Json params = Json::array(), metrics = Json::array(), numerics = Json::array();
  for (const auto& [path, a, b] : difference.params)
    params.push_back({{"name", path}, {"a", a}, {"b", b}});
  for (const auto& [path, a, b] : difference.metrics)
    metrics.push_back({{"name", path}, {"a", number(a)}, {"b", number(b)}});
  for (const auto& [stage, a, b] : difference.numerics)
    numerics.push_back({{"stage", stage}, {"a", a}, {"b", b}});
  return {{"params", std::move(params)},
          {"metrics", std::move(metrics)},
          {"numerics", std::move(numerics)},
          {"metrics_left_out", difference.same}};
}

int diff(const DiffArguments& arguments, CommandLine& line) {
  const Side a = side_of(load_subject(arguments.first, arguments, line), arguments, line);
  const Side b = side_of(load_subject(arguments.second, arguments, line), arguments, line);
  const Difference difference = difference_of(a, b, arguments.all);
  if (arguments.json) {
    Json document = difference_json(difference);
    document["a"] = side_json(arguments.first, a);
    document["b"] = side_json(arguments.second, b);
    print_document(std::move(document));
    return 0;
  }
  for (const auto& [name, side] : {std::pair(&arguments.first, &a), {&arguments.second, &b}}) {
    if (!side->has_no_result()) continue;
    say("{} has no result with the file as it is now; run it first (--all shows its parameters)\n",
        printable(*name));
    if (!arguments.all) return 0;
  }
  say("A: {}\nB: {}\n", printable(arguments.first), printable(arguments.second));
  print_text(difference);
  complain_of_missing("A", a);
  complain_of_missing("B", b);
  return 0;
}

}  // namespace

void add_diff(CLI::App& app, CommandLine& line) {
  auto [verb, arguments] =
      add_verb(app, line, "diff", "two results side by side: parameters and metrics",
               "  headway diff p.yaml p.yaml@wide                 a pipeline and its variant\n"
               "  headway diff outputs/addition outputs/addition/seed-642\n"
               "  headway diff addition/heads/n_heads=1,seed=1 addition/heads/n_heads=4,seed=1\n",
               diff);
  verb.add_option("A", arguments.first, "a file, file@variant, or results: a folder in outputs/")
      ->required();
  verb.add_option("B", arguments.second, "the same")->required();
  verb.add_flag("--all", arguments.all, "also what is the same");
  verb.add_flag("--json", arguments.json, kJsonHelp);
  arguments.add_outputs(verb);
}

}  // namespace headway
