// `headway diff`: two results side by side, what made them and what came of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"
#include "lib/numerics/table.h"
#include "lib/run/inspection.h"
#include "lib/spec/document.h"
#include "lib/sweep/results.h"
#include "lib/sweep/saved_sweep.h"
#include "lib/sweep/successive_halving.h"

namespace headway {
namespace {

struct DiffArguments {
  std::string first;
  std::string second;
  std::string outputs = "outputs";
  bool all = false;

  Path outputs_path() const { return absolute_folder(outputs); }
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
  throw UsageError(fmt::format("sweep '{}' has no trial '{}'{}", loader.sweep().name,
                               printable(wanted), did_you_mean(wanted, names)));
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
    std::vector<std::string> known;
    for (const KnownPipeline& pipeline : known_pipelines(line.files, layout))
      known.push_back(pipeline.variant.empty() ? pipeline.name
                                               : pipeline.name + "/" + pipeline.variant);
    throw UsageError(
        fmt::format("'{}' is neither a pipeline's file nor results in {}{}", printable(text),
                    display_path(layout.outputs()),
                    known.empty() ? "" : fmt::format(" (there are {})", join(known, ", "))));
  }
  PipelineFile read = read_file_with_sweeps(display_path(file), line.files);
  const auto request = recall_sweep(line.files, layout, parts[0], variant);
  if (!request) return load_variation(read, {variant, {}, {}}, line.stages, line.files);
  const SweepLoader loader(std::move(read), *request, line.stages, line.files);
  if (parts.size() == 3) return load_trial(loader, parts[2]);
  throw UsageError(fmt::format("'{}' is a sweep: name one of its trials, {}/NAME=VALUE,…",
                               printable(text), label));
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
  std::vector<std::string> order;  // of both
  std::size_t missing = 0;         // stages without a fresh result
};

void add_numbers(const Json& value, const std::string& path, Side& side) {
  if (value.is_object()) {
    for (const auto& [name, inner] : value.items()) add_numbers(inner, path + "." + name, side);
  } else if (value.is_number() || value.is_boolean()) {
    side.metrics[path] = value.is_boolean() ? (value.get<bool>() ? 1.0 : 0.0) : value.get<double>();
    side.order.push_back(path);
  }
}

Side look_at(PipelineSpec pipeline, const DiffArguments& arguments, CommandLine& line) {
  Judged judged(std::move(pipeline), arguments.outputs_path(), line.files);
  Side side;
  const auto add = [&](const std::string& prefix, const Value& params) {
    for (const auto& [path, value] : leaves_of(params)) {
      side.params[prefix + path] = value;
      side.order.push_back(prefix + path);
    }
  };
  add("", judged.pipeline.params);
  for (std::size_t i = 0; i < judged.pipeline.stages.size(); ++i) {
    const StageSpec& stage = judged.pipeline.stages[i];
    add(stage.name + ": ", stage.params);
    side.missing += !judged.is_fresh(i);
    add_numbers(judged.metrics_of(i), stage.name, side);
  }
  return side;
}

// What a stage was given through a parameter of the pipeline is told once, there.
bool is_told_above(const std::string& path, const Side& a, const Side& b) {
  const std::size_t colon = path.find(": ");
  if (colon == std::string::npos) return false;
  const auto value = [&](const Side& side, const std::string& name) {
    const auto found = side.params.find(name);
    return found == side.params.end() ? std::string("-") : found->second;
  };
  const std::string leaf = split(path.substr(colon + 2), '.').back();
  for (const auto& [name, own] : a.params) {
    if (name.find(": ") != std::string::npos || split(name, '.').back() != leaf) continue;
    if (own == value(a, path) && value(b, name) == value(b, path)) return true;
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

int diff(const DiffArguments& arguments, CommandLine& line) {
  const Side a = look_at(load_subject(arguments.first, arguments, line), arguments, line);
  const Side b = look_at(load_subject(arguments.second, arguments, line), arguments, line);
  std::vector<std::vector<std::string>> params, metrics;
  std::size_t same = 0;
  for (const std::string& path : paths_of_both(a, b)) {
    const auto pa = a.params.find(path), pb = b.params.find(path);
    if (pa != a.params.end() || pb != b.params.end()) {
      const std::string va = pa == a.params.end() ? "-" : pa->second;
      const std::string vb = pb == b.params.end() ? "-" : pb->second;
      if ((va != vb || arguments.all) && !is_told_above(path, a, b))
        params.push_back({"  " + path, fit(printable(va), 40), fit(printable(vb), 40)});
      continue;
    }
    const auto ma = a.metrics.find(path), mb = b.metrics.find(path);
    const bool both = ma != a.metrics.end() && mb != b.metrics.end();
    if (both && ma->second == mb->second && !arguments.all) {
      ++same;
      continue;
    }
    const auto text = [](const auto& found, const auto& end) {
      return found == end ? std::string("-") : number_text(found->second);
    };
    std::string change;
    if (both && ma->second != mb->second) {
      const double difference = mb->second - ma->second;
      change = (difference > 0 ? "+" : "") + number_text(difference);
    }
    metrics.push_back({"  " + path, text(ma, a.metrics.end()), text(mb, b.metrics.end()), change});
  }
  say("A: {}\nB: {}\n", printable(arguments.first), printable(arguments.second));
  if (params.empty()) {
    say("the parameters are the same\n");
  } else {
    params.insert(params.begin(), {"parameter", "A", "B"});
    say("{}", format_table(params));
  }
  if (metrics.empty()) {
    say("{}\n", same > 0 ? "the metrics are the same" : "no metrics yet");
  } else {
    metrics.insert(metrics.begin(), {"metric", "A", "B", "B - A"});
    say("{}", format_table(metrics));
  }
  if (same > 0 && !metrics.empty())
    say("{} more metric{} the same (--all)\n", same, same == 1 ? " is" : "s are");
  for (const auto& [name, side] : {std::pair("A", &a), std::pair("B", &b)}) {
    if (side->missing > 0)
      complain("{}: {} stage{} ha{} no result with the file as it is now\n", name, side->missing,
               side->missing == 1 ? "" : "s", side->missing == 1 ? "s" : "ve");
  }
  return 0;
}

}  // namespace

void add_diff(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<DiffArguments>();
  CLI::App& verb =
      add_verb(app, line, "diff", "two results side by side: parameters and metrics",
               "  headway diff p.yaml p.yaml@wide                 a pipeline and its variant\n"
               "  headway diff outputs/addition outputs/addition/seed-642\n"
               "  headway diff addition/heads/n_heads=1,seed=1 addition/heads/n_heads=4,seed=1\n",
               [arguments, &line] { return diff(*arguments, line); });
  verb.add_option("A", arguments->first, "a file, file@variant, or results: a folder in outputs/")
      ->required();
  verb.add_option("B", arguments->second, "the same")->required();
  verb.add_flag("--all", arguments->all, "also what is the same");
  verb.add_option("--outputs", arguments->outputs, "where results and the store are")
      ->type_name("DIR")
      ->capture_default_str();
}

}  // namespace headway
