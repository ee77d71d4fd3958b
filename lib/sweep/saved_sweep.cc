#include "lib/sweep/saved_sweep.h"

#include "lib/base/json.h"
#include "lib/store/journal.h"

namespace headway {
namespace {

Path folder_of_sweeps(const Layout& layout) {
  return layout.client("sweeps");
}

}  // namespace

Path saved_sweep_file(const Layout& layout, const std::string& pipeline, const std::string& sweep) {
  return folder_of_sweeps(layout) / (pipeline + "@" + sweep);
}

void remember_sweep(FileSystem& files, const Layout& layout, const std::string& pipeline,
                    const std::string& sweep, const SweepRequest& request) {
  const Json json = {{"name", request.name},
                     {"variant", request.variant},
                     {"sets", request.sets},
                     {"axes", request.changes.axes},
                     {"settings", request.changes.settings}};
  files.make_directories(folder_of_sweeps(layout));
  Journal(files, saved_sweep_file(layout, pipeline, sweep)).rewrite({to_line(json)});
}

std::optional<SweepRequest> recall_sweep(FileSystem& files, const Layout& layout,
                                         const std::string& pipeline, const std::string& sweep) {
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
    return request;
  } catch (const Json::exception&) {  // of another version, or torn: as if it never ran
    return std::nullopt;
  }
}

}  // namespace headway
