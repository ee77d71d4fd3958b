// The site file, headway-site.yaml: where the stages of a project run, and what a cluster's
// scheduler is asked for. It says nothing about what stages compute, so nothing in it is part of a
// key. README.md, "On a cluster", lists its keys.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/spec/settings.h"
#include "lib/stage/resources.h"
#include "lib/stage/stage_type.h"

namespace headway {

inline constexpr const char* kSiteFile = "headway-site.yaml";

// Passed to sbatch as they are; an empty text is not passed.
struct SlurmOptions {
  std::string partition, account, qos, constraint;
  std::vector<std::string> flags;
  bool operator==(const SlurmOptions&) const = default;
};

// Options, of which some may not be given. An empty text is given: it takes an option away.
struct GivenSlurmOptions {
  std::optional<std::string> partition, account, qos, constraint;
  std::optional<std::vector<std::string>> flags;

  // These where they are given, and those of `others` where not.
  SlurmOptions over(const SlurmOptions& others) const;
};

// What is different for the stages of one type.
struct StageOverrides {
  GivenSlurmOptions options;
  GivenResources resources;
};

struct SlurmSite {
  SlurmOptions options;
  int jobs = 8;                                   // most at once
  std::string setup;                              // sh, before the agent starts
  std::vector<std::string> env;                   // variables of a job that its stages see, too
  Resources allocation{.cpus = 2, .time = 3600};  // of one that stages share; memory 0: not asked
  double idle = 60;                               // seconds until it is given back without work
  double poll = 2;                                // seconds between questions to the scheduler
  double visible_within = 60;  // seconds that results may take to appear on the shared file system
  bool resume_on_other_cpus = false;             // from a state made on a CPU with other numerics
  std::map<std::string, StageOverrides> stages;  // by the name of their type

  // With the overrides of the type. Those win over what a stage itself asks for.
  SlurmOptions options_of(const std::string& type) const;
  Resources resources_of(const std::string& type, const Resources& asked) const;
};

struct ClusterSite {
  Path file;                 // empty: there is none
  std::string on = "local";  // or "slurm": where stages run, unless the command line says
  SlurmSite slurm;
};

// The site file of the project: in its root or else, for all projects of the user, in
// $XDG_CONFIG_HOME/headway or ~/.config/headway. The first that exists counts alone. Defaults if
// there is none. Throws PipelineError with all mistakes, located, as loading a pipeline does.
//
// A key of `stages` is one of `types`, or a type that some pipeline declares. Which ones those
// declare is not known here, so any name is taken, except one that is nearly that of a known type:
// that is a slip.
ClusterSite load_site(FileSystem& files, const Path& project_root, const StageRegistry& types);

}  // namespace headway
