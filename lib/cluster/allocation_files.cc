#include "lib/cluster/allocation_files.h"

#include "lib/base/digest.h"
#include "lib/base/error.h"
#include "lib/base/json_fields.h"
#include "lib/base/machine.h"

namespace headway {

Json AgentState::to_json() const {
  Json list = Json::object();
  for (const auto& [attempt, stage] : stages)
    list[attempt] = {{"fraction", stage.fraction}, {"words", stage.words}, {"since", stage.since}};
  Json json = {{"time", time}, {"memory", memory}, {"stages", std::move(list)}};
  if (left) json["left"] = *left;
  return json;
}

std::optional<AgentState> AgentState::parse(const std::string& text) {
  const std::optional<Json> json = parse_json(text);
  if (!json || !json->is_object()) return std::nullopt;
  try {
    AgentState state;
    state.time = whole_number<std::int64_t>(json->at("time")).value();
    state.memory = whole_number<std::uint64_t>(json->at("memory")).value();
    if (json->contains("left")) state.left = json->at("left").get<double>();
    for (const auto& [attempt, stage] : json->at("stages").items())
      state.stages[attempt] = {stage.at("fraction"), stage.at("words"),
                               whole_number<std::int64_t>(stage.at("since")).value()};
    return state;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

template <class Struct>
std::optional<Struct> read_struct(FileSystem& files, const Path& path) {
  try {
    const std::optional<std::string> text = files.read(path);
    const std::optional<Json> json = text ? parse_json(*text) : std::nullopt;
    if (!json || !json->is_object()) return std::nullopt;
    Struct read;
    Struct::each_field(read,
                       [&](const char* name, auto& value) { read_value(json->at(name), value); });
    return read;
  } catch (const std::exception&) {  // cannot be read, or a field is missing or of another type
    return std::nullopt;
  }
}
template std::optional<AgentRequest> read_struct(FileSystem&, const Path&);
template std::optional<AgentHello> read_struct(FileSystem&, const Path&);

std::string build_stamp(const Path& worker) {
  RealFileSystem files;
  std::string text = kVersion;
  for (const Path& program : {Path("/proc/self/exe"), worker}) {
    std::error_code ignored;
    if (std::filesystem::exists(program, ignored)) text += " " + files.digest(program).hex();
  }
  return std::string(kVersion) + "-" + digest_of(text).hex().substr(0, 16);
}

}  // namespace headway
