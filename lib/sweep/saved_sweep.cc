#include "lib/sweep/saved_sweep.h"

#include "lib/base/index.h"
#include "lib/base/json.h"
#include "lib/spec/variation.h"
#include "lib/store/journal.h"
#include "lib/store/pipeline_state.h"

namespace headway {

Path saved_sweep_file(const Layout& layout, const std::string& pipeline, const std::string& sweep) {
  return layout.client("sweeps") / (pipeline + "@" + sweep);
}

void save_sweep(FileSystem& files, const Layout& layout, const std::string& pipeline,
                const std::string& sweep, const SweepRequest& request) {
  const Json json = {{"name", request.name},
                     {"variant", request.variant},
                     {"sets", request.sets},
                     {"axes", request.changes.axes},
                     {"settings", request.changes.settings}};
  const Path file = saved_sweep_file(layout, pipeline, sweep);
  files.make_directories(file.parent_path());
  Journal(files, file).rewrite({to_line(json)});
}

std::optional<SweepRequest> find_saved_sweep(FileSystem& files, const Layout& layout,
                                             const std::string& pipeline,
                                             const std::string& sweep) {
  const std::vector<std::string> lines =
      Journal(files, saved_sweep_file(layout, pipeline, sweep)).read();
  const std::optional<Json> json = lines.empty() ? std::nullopt : parse_json(lines.back());
  if (!json) return std::nullopt;
  try {
    SweepRequest request;
    json->at("name").get_to(request.name);
    json->at("variant").get_to(request.variant);
    json->at("sets").get_to(request.sets);
    json->at("axes").get_to(request.changes.axes);
    json->at("settings").get_to(request.changes.settings);
    // Named after its axes. It keeps that name, even if such axes have another one by now.
    if (request.name.empty() && !request.changes.axes.empty())
      request.name = sweep.substr(0, sweep.find('@'));
    return request;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

SweepRequest with_saved_axes(SweepRequest request, const PipelineFile& file, const Layout& layout,
                             FileSystem& files) {
  if (request.name.empty() || sweeps_of(file).find(request.name) || !request.changes.axes.empty())
    return request;
  const std::string variation = variation_name(file, {request.variant, request.sets, {}}).text;
  const auto saved =
      find_saved_sweep(files, layout, file.name, sweep_label(request.name, variation));
  if (!saved) return request;
  request.changes.axes = saved->changes.axes;
  request.changes.settings.insert(request.changes.settings.begin(), saved->changes.settings.begin(),
                                  saved->changes.settings.end());
  return request;
}

SweepLoader load_saved_sweep(PipelineFile file, std::string name, const std::string& variant,
                             const std::vector<std::string>& sets, const Layout& layout,
                             const StageRegistry& registry, FileSystem& files) {
  const std::vector<std::string> declared = keys_of(sweeps_of(file));
  if (name.empty() && declared.size() == 1) name = declared.front();
  const std::string variation = variation_name(file, {variant, sets, {}}).text;
  std::optional<SweepRequest> request;
  if (!name.empty())
    request = find_saved_sweep(files, layout, file.name, sweep_label(name, variation));
  if (!request) request = SweepRequest{name, {}, variant, sets};
  return SweepLoader(std::move(file), *request, registry, files);
}

std::vector<std::string> sweeps_known_for(const PipelineFile& file, const Layout& layout,
                                          FileSystem& files) {
  std::vector<std::string> sweeps = keys_of(sweeps_of(file));
  for (const KnownPipeline& known : known_pipelines(files, layout)) {
    if (known.name != file.name) continue;
    const auto request = find_saved_sweep(files, layout, known.name, known.variant);
    const bool is_declared = request && sweeps_of(file).find(request->name);
    if (request && (is_declared || !request->changes.axes.empty())) place_of(known.variant, sweeps);
  }
  return sweeps;
}

}  // namespace headway
