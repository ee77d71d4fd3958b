// The command of a stage, with placeholders: {in.NAME} is the path of an input (all paths of a
// fan-in), {items.NAME} the names of its items, {out.NAME} where to write an output, {with.NAME} a
// parameter, {partial} a folder that survives an interruption, {cpus} the cores it may use. All are
// quoted for the shell. Other braces belong to the shell (awk, ${…}).
#pragma once

#include <string>
#include <vector>

#include "lib/stage/stage_type.h"

namespace headway {

// What the placeholders of a command may name.
struct CommandNames {
  const std::vector<std::string>& inputs;
  const std::vector<Output>& outputs;
  const std::vector<std::string>* params = nullptr;  // null: {with.NAME} belongs to the shell
};

// Reports placeholders that name nothing, and outputs and parameters that the command does not use.
// `run` is the command, which is a text.
void check_command(const Value& run, const CommandNames& names, const std::string& subject,
                   Diagnostics& diagnostics);
// Whether the command has {items.NAME} of this input.
bool uses_items(const std::string& command, const std::string& input);
// The script for sh. `takes_params`: {with.NAME} is replaced too.
std::string fill_command(const std::string& command, const StageJob& job, bool takes_params);
// The command with its parameters filled in and the other placeholders left.
std::string fill_params(const std::string& command, const Json& params);

// Words of the command that name files which it may read, if there are such files: `tools/fit.py`,
// `--config=small.json`, the script in `sh build`. Not what it writes with `>` or `tee`, nor what
// the list `ignore` has. Each once.
std::vector<std::string> file_words(const std::string& command, const Value& ignore);

// Reports texts of the list that cannot be names of environment variables.
void check_variables(const Value& names, const std::string& subject, Diagnostics& diagnostics);

}  // namespace headway
