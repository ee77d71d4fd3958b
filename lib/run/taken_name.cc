#include "lib/run/taken_name.h"

#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/spec/document.h"

namespace headway {
namespace {

bool has_name(const Path& file, const std::string& name, Store& store) {
  try {
    return read_pipeline_file(file, store.files()).name == name;
  } catch (const Error&) {  // a file with mistakes still owns its name
    return true;
  }
}

// The file that owns the name: that of this variant or, if it never ran, of another variant.
Path owner_of(const PipelineSpec& pipeline, const PipelineState& state, Store& store) {
  if (!state.file().empty()) return state.file();
  for (const KnownPipeline& known : known_pipelines(store.files(), store.layout())) {
    if (known.name != pipeline.name) continue;
    const PipelineState other(store.files(), store.layout(), known.name, known.variant);
    if (!other.file().empty()) return other.file();
  }
  return {};
}

bool is_same_file(const Path& a, const Path& b) {
  std::error_code error;
  return a == b || std::filesystem::equivalent(a, b, error);
}

}  // namespace

void refuse_taken_name(const PipelineSpec& pipeline, const PipelineState& state, Store& store) {
  const Path owner = owner_of(pipeline, state, store);
  if (owner.empty() || is_same_file(owner, std::filesystem::absolute(pipeline.file)) ||
      !store.files().exists(owner) || !has_name(owner, pipeline.name, store))
    return;
  throw UsageError(fmt::format(
      "{} has the name '{}' in {} already, so {} cannot have it too; give one of them another name "
      "(`name: …` at the top of the file), or other outputs (--outputs FOLDER)",
      display_path(owner), pipeline.name, display_path(store.layout().outputs()),
      display_path(pipeline.file)));
}

}  // namespace headway
