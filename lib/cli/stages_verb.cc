// `headway stages`: the stage types.
#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"

namespace headway {
namespace {

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

void add_stages(CLI::App& app, CommandLine& line) {
  auto name = std::make_shared<std::string>();
  CLI::App& verb = add_verb(app, line, "stages", "the stage types, or the full help of one",
                            "  headway stages\n  headway stages shell\n",
                            [name, &line] { return stages(*name, line); });
  verb.add_option("TYPE", *name, "a stage type");
}

}  // namespace headway
