#include "lib/worker/protocol.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/text.h"

namespace headway {
namespace {

using Kind = WorkerEvent::Kind;

constexpr std::pair<const char*, Path StageJob::*> kPaths[] = {
    {"work", &StageJob::work},     {"partial", &StageJob::partial},
    {"log", &StageJob::log},       {"provenance", &StageJob::provenance},
    {"folder", &StageJob::folder},
};

// File names, scripts and variables may be any bytes, but JSON is UTF-8: others are sent as a list
// of numbers.
Json from_bytes(const std::string& text) {
  if (is_utf8(text)) return text;
  return std::vector<std::uint8_t>(text.begin(), text.end());
}
Json from_path(const Path& path) {
  return from_bytes(path.native());
}

template <class T>
T to(const Json& json) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    return whole_number<T>(json).value();
  else
    return json.get<T>();
}

std::string to_bytes(const Json& json) {
  if (!json.is_array()) return json.get<std::string>();
  std::string bytes;
  for (const Json& byte : json) bytes += static_cast<char>(to<std::uint8_t>(byte));
  return bytes;
}
Path to_path(const Json& json) {
  return to_bytes(json);
}

template <class T>
std::vector<T> to_texts(const Json& json) {
  std::vector<T> texts;
  for (const Json& text : json.get<std::vector<Json>>()) texts.emplace_back(to_bytes(text));
  return texts;
}

Digest to_digest(const Json& json) {
  const auto hex = json.get<std::string>();
  return hex.empty() ? Digest() : Digest::from_hex(hex).value();
}

// Reads one value from JSON; throws an Error that has its name and the value found.
template <class Read>
auto reading(const char* name, const Json& json, Read read) {
  const auto refuse = [&] { return ProtocolError("'{}' cannot be {}", name, excerpt(json)); };
  try {
    return read(json);
  } catch (const Json::exception&) {
    throw refuse();
  } catch (const std::bad_optional_access&) {
    throw refuse();
  }
}

const Json& field(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) throw ProtocolError("'{}' is missing", name);
  return *found;
}

template <class T>
T get(const Json& object, const char* name) {
  return reading(name, field(object, name), to<T>);
}

const Json& get_list(const Json& object, const char* name) {
  const Json& list = field(object, name);
  const auto is_object = [](const Json& item) { return item.is_object(); };
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_object))
    throw ProtocolError("'{}' must be a list of objects", name);
  return list;
}

InputPaths to_input(const Json& json) {
  InputPaths input;
  input.port = get<std::string>(json, "port");
  input.items = get<std::vector<std::string>>(json, "items");
  input.paths = reading("paths", field(json, "paths"), to_texts<Path>);
  for (const Json& lost : get_list(json, "lost"))
    input.lost.push_back({get<std::string>(lost, "item"), get<std::string>(lost, "reason")});
  return input;
}

StageJob to_job(const Json& json) {
  StageJob job;
  job.stage = get<std::string>(json, "stage");
  job.type = get<std::string>(json, "type");
  job.params = field(json, "params");
  for (const Json& input : get_list(json, "inputs")) job.inputs.push_back(to_input(input));
  for (const Json& output : get_list(json, "outputs"))
    job.outputs.emplace_back(get<std::string>(output, "name"),
                             reading("path", field(output, "path"), to_path));
  for (const auto& [name, path] : kPaths) job.*path = reading(name, field(json, name), to_path);
  job.resume_on_other_numerics = get<bool>(json, "resume_on_other_numerics");
  job.key = reading("key", field(json, "key"), to_digest);
  job.resources = {get<int>(json, "cpus"), get<std::uint64_t>(json, "memory"),
                   get<double>(json, "time"), get<int>(json, "gpus")};
  job.script = reading("script", field(json, "script"), to_bytes);
  job.environment = reading("environment", field(json, "environment"), to_texts<std::string>);
  return job;
}

WorkerEvent to_event(const Json& json) {
  const auto name = get<std::string>(json, "event");
  const std::optional<Kind> kind = value_of<Kind>(name);
  if (!kind) throw ProtocolError("unknown event '{}'", fit(printable(name), 40));
  WorkerEvent event{.kind = *kind};
  if (event.kind == Kind::kProgress) {
    event.fraction = get<double>(json, "fraction");
    event.text = get<std::string>(json, "words");
  }
  if (event.kind == Kind::kFailed) event.text = get<std::string>(json, "message");
  if (event.ends_job()) {
    event.cpu_seconds = get<double>(json, "cpu_seconds");
    event.peak_memory = get<std::uint64_t>(json, "peak_memory");
    event.numerics = get<std::string>(json, "numerics");
    event.notice = get<std::string>(json, "notice");
  }
  return event;
}

// `article` and `what`: "a", "request".
template <class Read>
auto parse_message(std::string_view line, const char* article, const char* what, Read read) {
  const std::optional<Json> json = parse_json(line);
  if (!json || !json->is_object())
    throw ProtocolError("not {} {}{}: {}", article, what, json ? "" : ", not even JSON",
                        fit(printable(line.substr(0, 400)), 80));
  try {
    return read(*json);
  } catch (const ProtocolError& error) {
    throw ProtocolError("bad {}: {}", what, error.what());
  }
}

}  // namespace

std::string request_line(const StageJob& job) {
  Json inputs = Json::array();
  for (const InputPaths& input : job.inputs) {
    Json paths = Json::array();
    for (const Path& path : input.paths) paths.push_back(from_path(path));
    Json lost = Json::array();
    for (const LostItem& item : input.lost)
      lost.push_back({{"item", item.item}, {"reason", item.reason}});
    inputs.push_back({{"port", input.port},
                      {"items", input.items},
                      {"paths", std::move(paths)},
                      {"lost", std::move(lost)}});
  }
  Json environment = Json::array();
  for (const std::string& setting : job.environment) environment.push_back(from_bytes(setting));
  Json outputs = Json::array();
  for (const auto& [name, path] : job.outputs)
    outputs.push_back({{"name", name}, {"path", from_path(path)}});
  Json json = {{"stage", job.stage},
               {"type", job.type},
               {"params", job.params},
               {"inputs", std::move(inputs)},
               {"outputs", std::move(outputs)},
               {"key", job.key.empty() ? "" : job.key.hex()},
               {"resume_on_other_numerics", job.resume_on_other_numerics},
               {"cpus", job.resources.cpus},
               {"memory", job.resources.memory},
               {"time", job.resources.time},
               {"gpus", job.resources.gpus},
               {"script", from_bytes(job.script)},
               {"environment", std::move(environment)}};
  for (const auto& [name, path] : kPaths) json[name] = from_path(job.*path);
  try {
    std::string line = json.dump();  // strict: a changed parameter would give a wrong result
    if (line.size() <= LineBuffer::kLongestLine) return line;
  } catch (const Json::exception&) {
    throw Error("stage '{}': a parameter or name is not UTF-8", printable(job.stage));
  }
  throw Error("stage '{}': its parameters and inputs are too many", job.stage);
}

std::string event_line(const WorkerEvent& event) {
  Json json = {{"event", name_of(event.kind)}};
  if (event.kind == Kind::kProgress) {
    json["fraction"] = event.fraction;
    json["words"] = event.text;
  }
  if (event.kind == Kind::kFailed) json["message"] = event.text;
  if (event.ends_job()) {
    json["cpu_seconds"] = event.cpu_seconds;
    json["peak_memory"] = event.peak_memory;
    json["numerics"] = event.numerics;
    json["notice"] = event.notice;
  }
  return to_line(json);
}

StageJob parse_request(std::string_view line) {
  return parse_message(line, "a", "request", to_job);
}

WorkerEvent parse_event(std::string_view line) {
  return parse_message(line, "an", "event", to_event);
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
    throw ProtocolError("a line is longer than {}", format_bytes(longest_));
  if (end == bytes_.size()) {
    searched_ = end;
    return std::nullopt;
  }
  std::string line = bytes_.substr(begin_, end - begin_);
  begin_ = searched_ = end + 1;
  return line;
}

}  // namespace headway
