#include "lib/stage/native_stage.h"

#include <algorithm>

namespace headway {

const InputPaths* StageContext::find_input(std::string_view port) const {
  const auto found = std::ranges::find(job_.inputs, port, &InputPaths::port);
  return found == job_.inputs.end() ? nullptr : &*found;
}

const Path& StageContext::input(std::string_view port) const {
  const InputPaths* found = find_input(port);
  if (!found || found->paths.empty()) throw Error("input '{}' is not connected", port);
  return found->paths.front();
}

const Path& StageContext::output(std::string_view name) const {
  for (const auto& [output, path] : job_.outputs) {
    if (output == name) return path;
  }
  throw Error("output '{}' is not declared", name);
}

const Path& StageContext::provenance() const {
  if (job_.provenance.empty())
    throw Error("stage type '{}' does not ask for provenance", job_.type);
  return job_.provenance;
}

Path StageContext::partial() const {
  std::filesystem::create_directories(job_.partial);
  return job_.partial;
}

}  // namespace headway
