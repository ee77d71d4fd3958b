#include "lib/base/tool.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "lib/base/descriptor.h"
#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {
namespace {

class ScratchFolder {
 public:
  explicit ScratchFolder(const Path& parent) {
    std::string pattern = (parent / "headway-tool-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
      throw Error("cannot make the folder {}: {}", pattern, describe_errno(errno));
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const Path& path() const { return path_; }

 private:
  Path path_;
};

std::string find_program(const ToolSpec& tool) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path ? path : "/usr/bin:/bin", ':')) {
    const std::string program = folder + "/" + tool.program;
    if (!folder.empty() && ::access(program.c_str(), X_OK) == 0) return program;
  }
  throw Error("{} is not installed; on Debian: apt install {}", tool.program, tool.package);
}

ProcessExit run_in(const Path& folder, const Path& log_path, const ToolSpec& tool) {
  const Descriptor log(::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log) throw Error("cannot write {}: {}", log_path.string(), describe_errno(errno));
  ProcessSpec spec;
  spec.argv = {find_program(tool)};
  spec.argv.insert(spec.argv.end(), tool.arguments.begin(), tool.arguments.end());
  spec.environment = inherited_environment({"PATH", "HOME"});
  spec.environment.emplace_back("LC_ALL=C.UTF-8");
  spec.environment.push_back("TMPDIR=" + folder.string());
  spec.directory = folder;
  spec.output = log.get();
  Process process(spec);
  if (!process.wait_for(tool.time_limit))
    throw Error("{} did not end within {}", tool.program, format_duration(tool.time_limit));
  return process.reap();
}

std::string read_output(const Path& folder, const ToolSpec& tool, const ToolOutput& output,
                        const std::string& said) {
  std::optional<std::string> bytes = RealFileSystem().read(folder / output.name);
  const std::string problem = bytes ? output.problem(*bytes) : "it was not written";
  if (problem.empty()) return std::move(*bytes);
  throw Error("{} did not write {} as a whole: {}{}", tool.program, output.name, problem,
              said.empty() ? "" : "; it said: " + said);
}

}  // namespace

ToolResult run_tool(const ToolSpec& tool) {
  const ScratchFolder folder(tool.folder);
  RealFileSystem files;
  for (const auto& [name, contents] : tool.files)
    files.write(folder.path() / name, contents, Durability::kCached);
  const Path log = folder.path() / "log";
  ToolResult result;
  result.exit = run_in(folder.path(), log, tool);
  if (files.is_full(folder.path()))
    throw Error("{} may have failed: no space left on the disk of {}", tool.program,
                tool.folder.string());
  result.said = trim(files.read(log).value_or(""));
  if (!result.exit.succeeded()) return result;
  for (const ToolOutput& output : tool.outputs)
    result.outputs.push_back(read_output(folder.path(), tool, output, result.said));
  return result;
}

}  // namespace headway
