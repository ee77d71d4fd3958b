// `headway validate` and `headway stages`: what needs no store.
#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"

namespace headway {
namespace {

int validate(const std::vector<std::string>& files, const PipelineArguments& arguments,
             CommandLine& line) {
  int exit_code = 0;
  for (const std::string& file : files) {
    try {
      const PipelineFile read = read_file_with_sweeps(file, line.files);
      const PipelineSpec pipeline =
          load_variation(read, {arguments.variant, arguments.sets, {}}, line.stages, line.files);
      if (arguments.variant.empty()) {
        for (const std::string& variant : pipeline.variants) {
          try {
            load_variation(read, {variant, arguments.sets, {}}, line.stages, line.files);
          } catch (const PipelineError& error) {
            throw PipelineError(fmt::format("{}\n(with variant '{}')", error.what(), variant));
          }
        }
      }
      std::vector<std::string> mistakes;
      const std::vector<std::string> sweeps = keys_of(sweeps_of(read));
      for (const std::string& sweep : sweeps) {
        try {
          SweepLoader(read, {sweep, {}, arguments.variant, arguments.sets}, line.stages, line.files)
              .load_all();
        } catch (const PipelineError& error) {
          mistakes.push_back(error.what());
        }
      }
      if (!mistakes.empty()) throw PipelineError(join(mistakes, "\n"));
      const auto counted = [](std::size_t count, const char* what) {
        return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
      };
      say("{}: ok, {}, {}, {}\n", file, counted(pipeline.stages.size(), "stage"),
          counted(pipeline.variants.size(), "variant"), counted(sweeps.size(), "sweep"));
    } catch (const PipelineError& error) {
      complain("{}\n", error.what());
      exit_code = 2;
    }
  }
  return exit_code;
}

int stages(const std::string& name, CommandLine& line) {
  if (name.empty()) {
    std::vector<std::vector<std::string>> rows;
    for (const std::string& type : line.stages.names())
      rows.push_back({type, line.stages.find(type)->summary});
    say("{}\n`headway stages TYPE` shows parameters, inputs and outputs.\n", format_table(rows));
    return 0;
  }
  const StageType* type = line.stages.find(name);
  if (!type)
    throw UsageError(fmt::format("unknown stage type '{}'{}", printable(name),
                                 did_you_mean(name, line.stages.names())));
  say("{}", help_text(*type));
  return 0;
}

}  // namespace

void add_validate(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<PipelineArguments>();
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App& verb =
      add_verb(app, line, "validate",
               "find every mistake of a pipeline, its variants and sweeps; run nothing",
               "  headway validate pipelines/*.yaml\n"
               "  headway validate p.yaml --variant wide --set seed=2\n",
               [arguments, files, &line] { return validate(*files, *arguments, line); });
  verb.add_option("PIPELINE", *files, "pipeline files")->required();
  arguments->add_changes(verb);
}

void add_stages(CLI::App& app, CommandLine& line) {
  auto name = std::make_shared<std::string>();
  CLI::App& verb = add_verb(app, line, "stages", "the stage types, or the full help of one",
                            "  headway stages\n  headway stages shell\n",
                            [name, &line] { return stages(*name, line); });
  verb.add_option("TYPE", *name, "a stage type");
}

}  // namespace headway
