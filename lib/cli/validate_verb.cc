// `headway validate`: finds all mistakes of pipeline files, and of the site file in effect.
#include <set>

#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/project.h"
#include "lib/cli/verbs.h"
#include "lib/cluster/site.h"

namespace headway {
namespace {

struct ValidateArguments : PipelineArguments {
  std::vector<std::string> files;
};

void validate_variants(const PipelineFile& file, const std::vector<std::string>& variants,
                       const std::vector<std::string>& sets, CommandLine& line) {
  for (const std::string& variant : variants) {
    try {
      load_variation(file, {variant, sets, {}}, line.stages, line.files);
    } catch (const PipelineError& error) {
      throw PipelineError("{}\n(with variant '{}')", error.what(), variant);
    }
  }
}

void validate_sweeps(const PipelineFile& file, const std::vector<std::string>& sweeps,
                     const PipelineArguments& arguments, CommandLine& line) {
  std::vector<std::string> mistakes;
  for (const std::string& sweep : sweeps) {
    try {
      SweepLoader(file, {sweep, {}, arguments.variant, arguments.sets}, line.stages, line.files)
          .load_all();
    } catch (const PipelineError& error) {
      mistakes.push_back(error.what());
    }
  }
  if (!mistakes.empty()) throw PipelineError(join(mistakes, "\n"));
}

// The exit code.
int validate_site(const Path& project, CommandLine& line) {
  try {
    const ClusterSite site = load_site(line.files, project, line.stages);
    if (!site.file.empty()) say("{}: ok, on: {}\n", display_path(site.file), site.on);
    return 0;
  } catch (const PipelineError& error) {
    complain("{}\n", error.what());
    return 2;
  }
}

int validate(const ValidateArguments& arguments, CommandLine& line) {
  int exit_code = 0;
  std::set<Path> projects;
  for (const std::string& name : arguments.files) {
    projects.insert(project_root(name));
    try {
      const PipelineFile file = read_file_with_sweeps(name, line.files);
      const PipelineSpec pipeline =
          load_variation(file, {arguments.variant, arguments.sets, {}}, line.stages, line.files);
      const std::vector<std::string> sweeps = keys_of(sweeps_of(file));
      if (arguments.variant.empty())
        validate_variants(file, pipeline.variants, arguments.sets, line);
      validate_sweeps(file, sweeps, arguments, line);
      say("{}: ok, {}, {}, {}\n", name, count_of(pipeline.stages.size(), "stage"),
          count_of(pipeline.variants.size(), "variant"), count_of(sweeps.size(), "sweep"));
    } catch (const PipelineError& error) {
      complain("{}\n", error.what());
      exit_code = 2;
    }
  }
  for (const Path& project : projects)
    exit_code = std::max(exit_code, validate_site(project, line));
  return exit_code;
}

}  // namespace

void add_validate(CLI::App& app, CommandLine& line) {
  auto [verb, arguments] = add_verb(
      app, line, "validate",
      "find every mistake of a pipeline, its variants and sweeps, and of the site file; run "
      "nothing",
      "  headway validate pipelines/*.yaml\n"
      "  headway validate p.yaml --variant wide --set seed=2\n",
      validate);
  verb.add_option("PIPELINE", arguments.files, "pipeline files")->required();
  arguments.add_changes(verb);
}

}  // namespace headway
