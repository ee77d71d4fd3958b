// `headway stages`: the stage types.
#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"
#include "lib/spec/document.h"
#include "lib/spec/named_files.h"
#include "lib/sweep/sweep_spec.h"

namespace headway {
namespace {

struct StagesArguments {
  std::string type;
  std::string name;  // of a type that the file `type` declares
};

int list_types(const StageRegistry& types) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& type : types.names()) rows.push_back({type, types.find(type)->summary});
  say("{}", format_table(rows));
  return 0;
}

int show_type(const StageRegistry& types, const std::string& name) {
  const StageType* type = types.find(name);
  if (!type)
    throw UsageError("unknown stage type '{}'{}", printable(name),
                     did_you_mean(name, types.names()));
  say("{}", help_text(*type));
  return 0;
}

// The types that a file declares: all, or one of them.
int stages_of_file(const StagesArguments& arguments, CommandLine& line) {
  const StageRegistry types = read_declared_types(arguments.type, line.files, sweep_sections());
  const std::vector<std::string> names = types.names();
  if (names.empty()) throw UsageError("{} declares no stage types", arguments.type);
  if (!arguments.name.empty()) return show_type(types, arguments.name);
  if (names.size() == 1) return show_type(types, names.front());
  list_types(types);
  say("\n`headway stages {} TYPE` shows parameters, inputs and outputs.\n", arguments.type);
  return 0;
}

int stages(const StagesArguments& arguments, CommandLine& line) {
  const std::string& type = arguments.type;
  if (is_path(type) || type.ends_with(".yaml") || type.ends_with(".yml"))
    return stages_of_file(arguments, line);
  if (!arguments.name.empty())
    throw UsageError("'{}' is no file: give one stage type, or a file and one of its types",
                     printable(type));
  if (!type.empty()) return show_type(line.stages, type);
  list_types(line.stages);
  say("\n`headway stages TYPE` shows parameters, inputs and outputs.\n");
  return 0;
}

}  // namespace

void add_stages(CLI::App& app, CommandLine& line) {
  auto [verb, arguments] =
      add_verb(app, line, "stages", "the stage types, or the full help of one",
               "  headway stages\n"
               "  headway stages shell\n"
               "  headway stages tools/train.yaml     a type of your own\n"
               "  headway stages p.yaml               those that a pipeline declares\n",
               stages);
  verb.add_option("TYPE", arguments.type, "a stage type, or a file that declares some");
  verb.add_option("NAME", arguments.name, "one of the file's types");
}

}  // namespace headway
