#include "lib/stage/native_stage.h"

#include <fmt/format.h>

namespace headway {

const InputPaths* StageContext::find_input(std::string_view port) const {
  for (const InputPaths& input : job_.inputs) {
    if (input.port == port) return &input;
  }
  return nullptr;
}

const Path& StageContext::input(std::string_view port) const {
  const InputPaths* found = find_input(port);
  if (!found || found->paths.empty()) throw Error(fmt::format("input '{}' is not connected", port));
  return found->paths.front();
}

const Path& StageContext::output(std::string_view name) const {
  for (const auto& [output, path] : job_.outputs) {
    if (output == name) return path;
  }
  throw Error(fmt::format("output '{}' is not declared", name));
}

const Path& StageContext::provenance() const {
  if (job_.provenance.empty())
    throw Error(fmt::format("stage type '{}' does not ask for provenance", job_.type));
  return job_.provenance;
}

Path StageContext::partial() const {
  std::filesystem::create_directories(job_.partial);
  return job_.partial;
}

}  // namespace headway
