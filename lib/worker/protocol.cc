#include "lib/worker/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/text.h"

namespace headway {
namespace {

using Kind = WorkerEvent::Kind;
constexpr std::array<std::pair<Kind, const char*>, 5> kKinds = {{{Kind::kStarted, "started"},
                                                                 {Kind::kProgress, "progress"},
                                                                 {Kind::kDone, "done"},
                                                                 {Kind::kFailed, "failed"},
                                                                 {Kind::kCancelled, "cancelled"}}};

// File names may be any bytes, but JSON is UTF-8: other names are sent as a list of numbers.
Json from_path(const Path& path) {
  const std::string& text = path.native();
  if (is_utf8(text)) return text;
  return std::vector<std::uint8_t>(text.begin(), text.end());
}

struct NotWhole {};

template <class T>
T to(const Json& json) {
  if constexpr (std::is_integral_v<T>) {
    const std::optional<T> number = whole_number<T>(json);
    if (!number) throw NotWhole();
    return *number;
  } else {
    return json.get<T>();
  }
}

Path to_path(const Json& json) {
  if (!json.is_array()) return json.get<std::string>();
  std::string bytes;
  for (const Json& byte : json) bytes += static_cast<char>(to<std::uint8_t>(byte));
  return bytes;
}

// Reads one value from JSON; throws an Error that has its name and the value found.
template <class Read>
auto reading(const char* name, const Json& json, Read read) {
  const auto refuse = [&] {
    return ProtocolError(fmt::format("'{}' cannot be {}", name, excerpt(json)));
  };
  try {
    return read(json);
  } catch (const Json::exception&) {
    throw refuse();
  } catch (const NotWhole&) {
    throw refuse();
  }
}

const Json& field(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) throw ProtocolError(fmt::format("'{}' is missing", name));
  return *found;
}

template <class T>
T get(const Json& object, const char* name) {
  return reading(name, field(object, name), to<T>);
}

Path get_path(const Json& object, const char* name) {
  return reading(name, field(object, name), to_path);
}

const Json& get_list(const Json& object, const char* name) {
  const Json& list = field(object, name);
  const auto is_object = [](const Json& item) { return item.is_object(); };
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_object)) {
    throw ProtocolError(fmt::format("'{}' must be a list of objects", name));
  }
  return list;
}

InputPaths to_input(const Json& json) {
  InputPaths input;
  input.port = get<std::string>(json, "port");
  input.items = get<std::vector<std::string>>(json, "items");
  input.paths = reading("paths", field(json, "paths"), [](const Json& list) {
    std::vector<Path> paths;
    for (const Json& path : list.get<std::vector<Json>>()) paths.push_back(to_path(path));
    return paths;
  });
  return input;
}

Json parse_object(std::string_view line, std::string_view what) {
  std::optional<Json> json = parse_json(line);
  const std::string shown = fit(printable(line.substr(0, 400)), 80);
  if (!json) throw ProtocolError(fmt::format("not {}, not even JSON: {}", what, shown));
  if (!json->is_object()) throw ProtocolError(fmt::format("not {}: {}", what, shown));
  return std::move(*json);
}

StageJob to_job(const Json& json) {
  StageJob job;
  job.stage = get<std::string>(json, "stage");
  job.type = get<std::string>(json, "type");
  job.params = field(json, "params");
  for (const Json& input : get_list(json, "inputs")) job.inputs.push_back(to_input(input));
  for (const Json& output : get_list(json, "outputs")) {
    job.outputs.emplace_back(get<std::string>(output, "name"), get_path(output, "path"));
  }
  job.work = get_path(json, "work");
  job.partial = get_path(json, "partial");
  job.log = get_path(json, "log");
  job.provenance = get_path(json, "provenance");
  job.folder = get_path(json, "folder");
  job.cpus = get<int>(json, "cpus");
  return job;
}

Kind to_kind(const std::string& name) {
  for (const auto& [kind, known] : kKinds) {
    if (name == known) return kind;
  }
  throw ProtocolError(fmt::format("unknown event '{}'", fit(printable(name), 40)));
}

WorkerEvent to_event(const Json& json) {
  WorkerEvent event;
  event.kind = to_kind(get<std::string>(json, "event"));
  if (event.kind == Kind::kProgress) {
    event.fraction = get<double>(json, "fraction");
    event.text = get<std::string>(json, "words");
  }
  if (event.kind == Kind::kFailed) event.text = get<std::string>(json, "message");
  if (event.ends_job()) {
    event.cpu_seconds = get<double>(json, "cpu_seconds");
    event.peak_memory = get<std::uint64_t>(json, "peak_memory");
  }
  return event;
}

}  // namespace

std::string request_line(const StageJob& job) {
  Json inputs = Json::array();
  for (const InputPaths& input : job.inputs) {
    Json paths = Json::array();
    for (const Path& path : input.paths) paths.push_back(from_path(path));
    inputs.push_back({{"port", input.port}, {"items", input.items}, {"paths", std::move(paths)}});
  }
  Json outputs = Json::array();
  for (const auto& [name, path] : job.outputs) {
    outputs.push_back({{"name", name}, {"path", from_path(path)}});
  }
  const Json json = {{"stage", job.stage},
                     {"type", job.type},
                     {"params", job.params},
                     {"inputs", std::move(inputs)},
                     {"outputs", std::move(outputs)},
                     {"work", from_path(job.work)},
                     {"partial", from_path(job.partial)},
                     {"log", from_path(job.log)},
                     {"provenance", from_path(job.provenance)},
                     {"folder", from_path(job.folder)},
                     {"cpus", job.cpus}};
  try {
    std::string line = json.dump();  // strict: a changed parameter would give a wrong result
    if (line.size() <= LineBuffer::kLongestLine) return line;
  } catch (const Json::exception&) {
    throw Error(fmt::format("stage '{}': a parameter or name is not UTF-8", printable(job.stage)));
  }
  throw Error(fmt::format("stage '{}': its parameters and inputs are too many", job.stage));
}

std::string event_line(const WorkerEvent& event) {
  Json json;
  for (const auto& [kind, name] : kKinds) {
    if (kind == event.kind) json["event"] = name;
  }
  if (event.kind == Kind::kProgress) {
    json["fraction"] = event.fraction;
    json["words"] = event.text;
  }
  if (event.kind == Kind::kFailed) json["message"] = event.text;
  if (event.ends_job()) {
    json["cpu_seconds"] = event.cpu_seconds;
    json["peak_memory"] = event.peak_memory;
  }
  return to_line(json);
}

StageJob parse_request(std::string_view line) {
  const Json json = parse_object(line, "a request");
  try {
    return to_job(json);
  } catch (const ProtocolError& error) {
    throw ProtocolError(error.within("bad request").what());
  }
}

WorkerEvent parse_event(std::string_view line) {
  const Json json = parse_object(line, "an event");
  try {
    return to_event(json);
  } catch (const ProtocolError& error) {
    throw ProtocolError(error.within("bad event").what());
  }
}

// Drops consumed lines here: dropping each in take() would move the rest every time.
void LineBuffer::add(std::string_view bytes) {
  bytes_.erase(0, begin_);
  searched_ -= begin_;
  begin_ = 0;
  bytes_.append(bytes);
}

std::optional<std::string> LineBuffer::take() {
  const std::size_t end = std::min(bytes_.find('\n', searched_), bytes_.size());
  if (end - begin_ > longest_)
    throw ProtocolError(fmt::format("a line is longer than {}", format_bytes(longest_)));
  if (end == bytes_.size()) {
    searched_ = end;
    return std::nullopt;
  }
  std::string line = bytes_.substr(begin_, end - begin_);
  begin_ = searched_ = end + 1;
  return line;
}

}  // namespace headway
