#include "lib/cluster/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "lib/base/text.h"
#include "lib/spec/document.h"
#include "lib/spec/named_files.h"
#include "lib/spec/yaml.h"
#include "lib/spec/yaml_file.h"
#include "lib/stage/command_template.h"

namespace headway {
namespace {

const std::vector<std::string> kPlaces = {"local", "slurm"};
const std::vector<std::string> kSlurmKeys = {"partition",
                                             "account",
                                             "qos",
                                             "constraint",
                                             "flags",
                                             "jobs",
                                             "setup",
                                             "env",
                                             "allocation",
                                             "idle",
                                             "poll",
                                             "visible_within",
                                             "resume_on_other_cpus",
                                             "stages"};
const std::vector<std::string> kOverrideKeys = {
    "partition", "account", "qos", "constraint", "flags", "cpus", "memory", "time", "gpus"};

constexpr double kLeastTime = 60;  // seconds

constexpr const char* kOutput = "Headway keeps the output of its jobs itself";
constexpr const char* kOwn = "Headway sets it itself";
constexpr const char* kTime = "use 'time' under 'allocation' or 'stages'";
constexpr const char* kCpus = "use 'cpus' under 'allocation' or 'stages'";
constexpr const char* kMemory = "use 'memory' under 'allocation' or 'stages'";

// A flag of sbatch that would contradict one of ours.
struct TakenFlag {
  std::string_view name;
  char letter;  // 0: it has no short form
  const char* instead;
};
constexpr TakenFlag kTakenFlags[] = {{"--partition", 'p', "use 'partition'"},
                                     {"--account", 'A', "use 'account'"},
                                     {"--qos", 'q', "use 'qos'"},
                                     {"--constraint", 'C', "use 'constraint'"},
                                     {"--time", 't', kTime},
                                     {"--cpus-per-task", 'c', kCpus},
                                     {"--mem", 0, kMemory},
                                     {"--mem-per-cpu", 0, kMemory},
                                     {"--mem-per-gpu", 0, kMemory},
                                     {"--output", 'o', kOutput},
                                     {"--error", 'e', kOutput},
                                     {"--job-name", 'J', "Headway names its jobs itself"},
                                     {"--array", 'a', kOwn},
                                     {"--wrap", 0, kOwn},
                                     {"--parsable", 0, kOwn},
                                     {"--chdir", 'D', kOwn},
                                     {"--nodes", 'N', kOwn},
                                     {"--ntasks", 'n', kOwn},
                                     {"--export", 0, kOwn},
                                     {"--gpus", 'G', "use 'gpus' under 'stages'"},
                                     {"--open-mode", 0, kOwn}};

// Null if the flag is free to use.
const TakenFlag* find_taken(std::string_view flag) {
  const std::string_view name = flag.substr(0, flag.find('='));
  const auto is_it = [&](const TakenFlag& taken) {
    if (!name.starts_with("--"))
      return taken.letter && name.starts_with(std::string{'-', taken.letter});
    // sbatch takes the beginning of a name too: --part=long.
    return name == taken.name || (name.size() >= 5 && taken.name.starts_with(name));
  };
  const auto found = std::ranges::find_if(kTakenFlags, is_it);
  return found == std::end(kTakenFlags) ? nullptr : &*found;
}

// Sets what was read; nothing was a mistake.
template <class T>
void set(T& setting, std::optional<T> read) {
  if (read) setting = std::move(*read);
}

class SiteReader {
 public:
  SiteReader(const Value& document, const StageRegistry& types, Diagnostics& diagnostics)
      : document_(document), types_(types), diagnostics_(diagnostics) {}

  ClusterSite read() {
    check_keys(document_, {"on", "slurm"}, "site", diagnostics_);
    if (const Value* on = document_.find("on")) read_place(*on);
    if (const Value* slurm = map_in(document_, "slurm", "site")) read_slurm(*slurm);
    return std::move(site_);
  }

 private:
  // The map at the key; null if there is none.
  const Value* map_in(const Value& map, const char* key, const std::string& subject) {
    const Value* value = map.find(key);
    if (!value || value->is_null()) return nullptr;
    if (value->map()) return value;
    diagnostics_.add(value->location, "{}: '{}' must be a map, got {}", subject, key,
                     value->describe());
    return nullptr;
  }

  void read_place(const Value& on) {
    const std::string name = on.text() ? *on.text() : "";
    if (std::ranges::find(kPlaces, name) != kPlaces.end())
      site_.on = name;
    else
      diagnostics_.add(on.location, "site: 'on' is one of {}, got {}{}", join(kPlaces, ", "),
                       on.describe(), did_you_mean(name, kPlaces));
  }

  void read_slurm(const Value& slurm) {
    SlurmSite& to = site_.slurm;
    const SettingReader reader("slurm", diagnostics_);
    check_keys(slurm, kSlurmKeys, "slurm", diagnostics_);
    to.options = read_options(slurm, reader).over({});
    if (const Value* jobs = slurm.find("jobs"))
      set(to.jobs, reader.integer(*jobs, "jobs", 1, 10'000));
    if (const Value* setup = slurm.find("setup")) set(to.setup, reader.lines(*setup, "setup"));
    if (const Value* env = slurm.find("env")) {
      check_variables(*env, "slurm: env", diagnostics_);
      for (const Value& name : items_of(*env)) to.env.push_back(name.text() ? *name.text() : "");
    }
    for (const auto& [key, seconds] : {std::pair{"idle", &to.idle},
                                       {"poll", &to.poll},
                                       {"visible_within", &to.visible_within}}) {
      if (const Value* time = slurm.find(key)) set(*seconds, reader.time(*time, key));
    }
    if (const Value* resume = slurm.find("resume_on_other_cpus"))
      set(to.resume_on_other_cpus, reader.boolean(*resume, "resume_on_other_cpus"));
    if (const Value* allocation = map_in(slurm, "allocation", "slurm")) {
      const std::string subject = "slurm: allocation";
      check_keys(*allocation, {"cpus", "memory", "time"}, subject, diagnostics_);
      to.allocation = read_resources(*allocation, {subject, diagnostics_}).over(to.allocation);
      // An agent ends half a minute before its job, so that stages can save their state.
      if (const Value* time = allocation->find("time"); time && to.allocation.time < kLeastTime)
        diagnostics_.add(time->location, "{}: 'time' must be at least {}s, got {}", subject,
                         kLeastTime, time->describe());
    }
    if (const Value* stages = map_in(slurm, "stages", "slurm")) {
      for (const MapEntry& entry : *stages->map()) read_stage(entry);
    }
  }

  void read_stage(const MapEntry& entry) {
    const std::string subject = fmt::format("slurm: stages of type '{}'", printable(entry.key));
    check_type(entry);
    if (!entry.value.map() && !entry.value.is_null())
      return diagnostics_.add(entry.value.location, "{}: must be a map, got {}", subject,
                              entry.value.describe());
    const SettingReader reader(subject, diagnostics_);
    check_keys(entry.value, kOverrideKeys, subject, diagnostics_);
    site_.slurm.stages[entry.key] = {read_options(entry.value, reader),
                                     read_resources(entry.value, reader)};
  }

  void check_type(const MapEntry& entry) {
    if (types_.find(entry.key) || is_path(entry.key)) return;
    if (!is_stage_name(entry.key))
      return diagnostics_.add(
          entry.key_location,
          "slurm: '{}' is not the name of a stage type; write a type's file as a "
          "path with '/', as in 'uses'",
          printable(entry.key));
    const std::string hint = did_you_mean(entry.key, types_.names());
    if (!hint.empty())
      diagnostics_.add(entry.key_location, "slurm: unknown stage type '{}'{}", entry.key, hint);
  }

  GivenSlurmOptions read_options(const Value& map, const SettingReader& reader) {
    GivenSlurmOptions options;
    for (const auto& [key, text] : {std::pair{"partition", &options.partition},
                                    {"account", &options.account},
                                    {"qos", &options.qos},
                                    {"constraint", &options.constraint}}) {
      if (const Value* value = map.find(key)) *text = reader.line(*value, key);
    }
    if (const Value* flags = map.find("flags")) {
      options.flags.emplace();
      for (const Value& flag : items_of(*flags)) {
        if (const auto text = reader.line(flag, "flags"); text && check_flag(flag, *text, reader))
          options.flags->push_back(*text);
      }
    }
    return options;
  }

  bool check_flag(const Value& value, const std::string& flag, const SettingReader& reader) {
    const bool has_name = flag.starts_with('-') && flag.find_first_not_of('-') != flag.npos;
    if (!has_name || flag.find(' ') < flag.find('=')) {
      reader.complain(value.location,
                      "'flags' has '{}': write each flag as one word that begins with '-', as in "
                      "--nice=100",
                      flag);
      return false;
    }
    const TakenFlag* taken = find_taken(flag);
    if (taken)
      reader.complain(value.location, "'flags' cannot have '{}': {}", flag, taken->instead);
    return !taken;
  }

  const Value& document_;
  const StageRegistry& types_;
  Diagnostics& diagnostics_;
  ClusterSite site_;
};

// Of the user, for all projects; empty if it is not known.
Path configuration_folder() {
  const auto folder_in = [](const char* variable) {
    const char* value = std::getenv(variable);
    const Path folder = value ? value : "";
    return folder.is_absolute() ? folder : Path();
  };
  if (const Path folder = folder_in("XDG_CONFIG_HOME"); !folder.empty()) return folder / "headway";
  const Path home = folder_in("HOME");
  return home.empty() ? home : home / ".config/headway";
}

// Empty if there is none.
Path find_site_file(FileSystem& files, const Path& project_root) {
  if (files.exists(project_root / kSiteFile)) return project_root / kSiteFile;
  const Path own = configuration_folder() / kSiteFile;
  try {
    return own.is_absolute() && files.exists(own) ? own : Path();
  } catch (const Error&) {  // the home folder is another user's: su and sudo may leave it so
    return {};
  }
}

ClusterSite read_site(FileSystem& files, const Path& file, const StageRegistry& types,
                      Diagnostics& diagnostics) {
  const std::string* source = SourceLocation::intern(display_path(file));
  const auto text = read_yaml_text(file, files, source, diagnostics);
  const auto document = text ? parse_yaml(*text, source, diagnostics) : std::nullopt;
  if (!document || document->is_null()) return {};
  if (document->map()) return SiteReader(*document, types, diagnostics).read();
  diagnostics.add(document->location, "a site file is a map with 'on' and 'slurm', got {}",
                  document->describe());
  return {};
}

}  // namespace

SlurmOptions GivenSlurmOptions::over(const SlurmOptions& others) const {
  return {partition.value_or(others.partition), account.value_or(others.account),
          qos.value_or(others.qos), constraint.value_or(others.constraint),
          flags.value_or(others.flags)};
}

SlurmOptions SlurmSite::options_of(const std::string& type) const {
  const auto found = stages.find(type);
  return found == stages.end() ? options : found->second.options.over(options);
}

Resources SlurmSite::resources_of(const std::string& type, const Resources& asked) const {
  const auto found = stages.find(type);
  return found == stages.end() ? asked : found->second.resources.over(asked);
}

ClusterSite load_site(FileSystem& files, const Path& project_root, const StageRegistry& types) {
  Diagnostics diagnostics;
  ClusterSite site;
  try {
    if (const Path file = find_site_file(files, project_root); !file.empty()) {
      site = read_site(files, file, types, diagnostics);
      site.file = file;
    }
  } catch (const PipelineError&) {  // has its place
    throw;
  } catch (const Error& error) {  // a file we may not read
    diagnostics.add({SourceLocation::intern("headway")}, error.what());
  }
  diagnostics.throw_if_any();
  return site;
}

}  // namespace headway
