#include "lib/stage/command_template.h"
#include "stages/params.h"
#include "stages/stages.h"

namespace headway {
namespace {

struct ShellParams {
  std::string run;
  std::vector<FilePath> code;
  std::vector<VariableName> env;
  std::vector<std::string> ignore;

  static SchemaOf<ShellParams> schema() {
    SchemaOf<ShellParams> schema;
    schema
        .add("run", &ShellParams::run,
             "the command, for sh -e, run in the pipeline file's folder; {in.NAME} is the path of "
             "an input (all paths of a fan-in), {items.NAME} the fan-in's item names, {out.NAME} "
             "where to write an output, {partial} a folder that survives an interruption, {cpus} "
             "the cores it may use; paths are quoted already. A line 'headway: progress 0.42 "
             "WORDS' in its output reports its progress")
        .required();
    schema.add("code", &ShellParams::code,
               "files and folders whose contents the result depends on; files whose names are "
               "words of the command, such as tools/x.py, need not be listed");
    schema.add("env", &ShellParams::env,
               "environment variables that the command may see; their values enter the key");
    schema
        .add("ignore", &ShellParams::ignore,
             "files that the command names but the result does not depend on: it writes them, say")
        .no_fact();
    return schema;
  }
};

void check_shell(const StageDeclaration& stage, Diagnostics& diagnostics) {
  check_command(*stage.params.find("run"), {stage.ports, stage.outputs}, stage.subject,
                diagnostics);
  check_variables(*stage.params.find("env"), stage.subject, diagnostics);
}

bool uses_item_name(const Value& params, const std::string& port) {
  return uses_items(*params.find("run")->text(), port);
}

std::vector<std::string> words(const Value& params) {
  return file_words(*params.find("run")->text(), *params.find("ignore"));
}

std::string command(const StageJob& job) {
  return fill_command(schema_of<ShellParams>()->read(job.params).run, job, /*takes_params=*/false);
}

}  // namespace

StageType shell_stage() {
  return {
      .name = "shell",
      .summary = "runs a command",
      .example =
          "  sorted:\n"
          "    uses: shell\n"
          "    in: {text: fetch.text}\n"
          "    outs: {table: sorted.txt}\n"
          "    with: {run: \"sort {in.text} > {out.table}\", code: [tools/x.py], env: [LANG]}\n",
      .params = schema_of<ShellParams>(),
      .free_inputs = true,
      .free_outputs = true,
      .check = check_shell,
      .uses_item_name = uses_item_name,
      .file_words = words,
      .command = command};
}

}  // namespace headway
