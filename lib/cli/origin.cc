#include "lib/cli/origin.h"

#include "lib/base/error.h"
#include "lib/base/tool.h"

namespace headway {
namespace {

bool is_in_repository(const Path& folder) {
  for (Path path = folder;; path = path.parent_path()) {
    if (RealFileSystem().exists(path / ".git")) return true;
    if (path == path.parent_path()) return false;
  }
}

Json commit_of(const Path& folder, const Path& work) {
  if (!is_in_repository(folder)) return nullptr;
  ToolSpec git;
  git.program = git.package = "git";
  git.folder = work;
  // Without tags, this is the commit itself.
  git.arguments = {"-C",      folder.string(), "describe",   "--always",
                   "--dirty", "--abbrev=40",   "--exclude=*"};
  git.time_limit = 5;
  try {
    const ToolResult result = run_tool(git);
    return result.exit.succeeded() ? Json(result.said) : Json();
  } catch (const Error&) {  // git is not installed, or too slow: the results count without it
    return nullptr;
  }
}

}  // namespace

Json origin_of(const PipelineSpec& pipeline, const Path& work) {
  Json digests = Json::object();
  for (const auto& [file, digest] : pipeline.digests) digests[file] = digest.hex();
  return {{"file", pipeline.file.string()},
          {"arguments", pipeline.arguments},
          {"digests", digests},
          {"commit", commit_of(pipeline.folder, work)}};
}

}  // namespace headway
