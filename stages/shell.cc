#include <fmt/format.h>

#include <functional>
#include <set>

#include "lib/base/text.h"
#include "stages/params.h"
#include "stages/stages.h"

namespace headway {
namespace {

struct ShellParams {
  std::string run;
  std::vector<FilePath> code;
  std::vector<VariableName> env;

  static SchemaOf<ShellParams> schema() {
    SchemaOf<ShellParams> schema;
    schema
        .add("run", &ShellParams::run,
             "the command, for sh -e, run in the pipeline file's folder; {in.NAME} is the path of "
             "an input (all paths of a fan-in), {items.NAME} the fan-in's item names, {out.NAME} "
             "where to write an output, {partial} a folder that survives an interruption, {cpus} "
             "the cores it may use; paths are quoted already")
        .required();
    schema.add("code", &ShellParams::code,
               "files and folders whose contents the result depends on");
    schema.add("env", &ShellParams::env,
               "environment variables that the command may see; their values enter the key");
    return schema;
  }
};

// Replaces every {in.x}, {out.x}, {items.x}, {partial} and {cpus} by the result of `found`; all
// other braces belong to the shell (awk, ${…}).
std::string replace_placeholders(
    const std::string& text,
    const std::function<std::string(const std::string&, const std::string&)>& found) {
  static const std::set<std::string> kWithName = {"in", "out", "items"};
  static const std::set<std::string> kAlone = {"partial", "cpus"};
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text[at] == '{' ? text.find('}', at) : std::string::npos;
    const std::string inner = end == std::string::npos ? "" : text.substr(at + 1, end - at - 1);
    const std::size_t dot = inner.find('.');
    const bool placeholder = dot == std::string::npos ? kAlone.contains(inner)
                                                      : kWithName.contains(inner.substr(0, dot));
    const bool variable = at > 0 && text[at - 1] == '$';  // ${partial} belongs to the shell
    if (placeholder && !variable) {
      result += found(inner.substr(0, dot), dot == std::string::npos ? "" : inner.substr(dot + 1));
      at = end + 1;
    } else {
      result += text[at++];
    }
  }
  return result;
}

void check(const StageDeclaration& stage, Diagnostics& diagnostics) {
  const Value& run = *stage.params.find("run");
  std::vector<std::string> outputs;
  for (const Output& output : stage.outputs) outputs.push_back(output.name);
  std::set<std::string> used;
  replace_placeholders(*run.text(), [&](const std::string& kind, const std::string& name) {
    const std::vector<std::string>& known = kind == "out" ? outputs : stage.ports;
    if (kind == "out") used.insert(name);
    if (!name.empty() && std::find(known.begin(), known.end(), name) == known.end()) {
      diagnostics.add(run.location,
                      fmt::format("{}: {{{}.{}}} in 'run': no {} '{}'{}", stage.subject, kind,
                                  printable(name), kind == "out" ? "output" : "input",
                                  printable(name), did_you_mean(name, known)));
    }
    return std::string();
  });
  for (const Output& output : stage.outputs) {
    if (used.contains(output.name)) continue;
    diagnostics.add(output.location,
                    fmt::format("{}: output '{}' is never written: 'run' has no {{out.{}}}",
                                stage.subject, output.name, output.name));
  }
  for (const Value& variable : *stage.params.find("env")->list()) {
    const std::string& name = *variable.text();
    if (name.empty() || name.find_first_of("= ") != std::string::npos) {
      diagnostics.add(variable.location,
                      fmt::format("{}: '{}' is not the name of an environment variable",
                                  stage.subject, printable(name)));
    }
  }
}

bool uses_item_name(const Value& params, const std::string& port) {
  bool used = false;
  replace_placeholders(*params.find("run")->text(),
                       [&](const std::string& kind, const std::string& name) {
                         used = used || (kind == "items" && name == port);
                         return std::string();
                       });
  return used;
}

std::string join_quoted(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(quote_for_shell(word));
  return join(quoted, " ");
}

std::string command(const StageJob& job) {
  const ShellParams params = schema_of<ShellParams>()->read(job.params);
  return replace_placeholders(params.run,
                              [&](const std::string& kind, const std::string& name) -> std::string {
                                if (kind == "cpus") return std::to_string(job.cpus);
                                if (kind == "partial") return quote_for_shell(job.partial.string());
                                if (kind == "out") {
                                  for (const auto& [output, path] : job.outputs) {
                                    if (output == name) return quote_for_shell(path.string());
                                  }
                                }
                                for (const InputPaths& input : job.inputs) {
                                  if (input.port != name) continue;
                                  if (kind == "items") return join_quoted(input.items);
                                  std::vector<std::string> paths;
                                  for (const Path& path : input.paths)
                                    paths.push_back(path.string());
                                  return join_quoted(paths);
                                }
                                return "";
                              });
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
      .check = check,
      .uses_item_name = uses_item_name,
      .command = command};
}

}  // namespace headway
