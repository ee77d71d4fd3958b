#include "lib/store/record.h"

#include <algorithm>

namespace headway {
namespace {

constexpr std::string_view kListPrefix = "list ";

constexpr const char* kChecksum = "checksum";

std::string checksum_of(const Json& json) {
  return digest_of(to_lines(json, 1)).hex();
}

}  // namespace

std::string list_value(const Digest& text) {
  return std::string(kListPrefix) + text.hex();
}

std::optional<Digest> list_digest(std::string_view value) {
  if (!value.starts_with(kListPrefix)) return std::nullopt;
  return Digest::from_hex(value.substr(kListPrefix.size()));
}

const RecordedOutput* Record::find(std::string_view output) const {
  const auto found = std::ranges::find(outputs, output, &RecordedOutput::name);
  return found == outputs.end() ? nullptr : &*found;
}

std::string to_text(const Record& record) {
  Json facts = Json::array();
  for (const Fact& fact : record.facts) facts.push_back({fact.name, fact.value});
  Json references = Json::array();
  for (const Fact& reference : record.references)
    references.push_back({reference.name, reference.value});
  Json outputs = Json::array();
  for (const RecordedOutput& output : record.outputs) {
    outputs.push_back({{"name", output.name},
                       {"file", output.file},
                       {"digest", output.object.digest.hex()},
                       {"size", output.object.size},
                       {"extension", output.object.extension},
                       {"folder", output.object.is_directory}});
    if (output.object.is_executable) outputs.back()["executable"] = true;
  }
  Json json = {{"key", record.key.hex()},
               {"stage", record.stage},
               {"pipeline", record.pipeline},
               {"facts", std::move(facts)},
               {"references", std::move(references)},
               {"outputs", std::move(outputs)},
               {"seconds", record.seconds},
               {"cpu_seconds", record.cpu_seconds},
               {"peak_memory", record.peak_memory},
               {"finished", record.finished},
               {"version", record.version},
               {"run", record.run},
               {"machine", record.machine},
               {"numerics", record.numerics},
               {"origin", record.origin}};
  json[kChecksum] = checksum_of(json);
  return to_lines(json, 1) + "\n";
}

std::optional<Record> parse_record(std::string_view text, const Digest& key) {
  std::optional<Json> json = parse_json(text);
  if (!json || !json->is_object()) return std::nullopt;
  try {
    if (const auto checksum = json->find(kChecksum); checksum != json->end()) {
      const Json stored = *checksum;
      json->erase(checksum);
      if (stored != checksum_of(*json)) return std::nullopt;
    }  // old records have none
    Record record;
    record.key = key;
    if (json->at("key").get<std::string>() != key.hex()) return std::nullopt;
    record.stage = json->at("stage");
    record.pipeline = json->at("pipeline");
    for (const Json& fact : json->at("facts")) record.facts.push_back({fact.at(0), fact.at(1)});
    for (const Json& reference : json->at("references"))
      record.references.push_back({reference.at(0), reference.at(1)});
    for (const Json& output : json->at("outputs")) {
      const auto digest = Digest::from_hex(output.at("digest").get<std::string>());
      if (!digest) return std::nullopt;
      record.outputs.push_back(
          {output.at("name"),
           output.at("file"),
           {*digest, whole_number<std::uint64_t>(output.at("size")).value(), output.at("extension"),
            output.at("folder"), output.value("executable", false)}});
    }
    record.seconds = json->at("seconds");
    record.cpu_seconds = json->at("cpu_seconds");
    record.peak_memory = whole_number<std::uint64_t>(json->at("peak_memory")).value();
    record.finished = whole_number<std::int64_t>(json->at("finished")).value();
    record.version = json->at("version");
    record.run = json->value("run", "");
    record.machine = json->value("machine", Json());
    record.numerics = json->value("numerics", "");
    record.origin = json->value("origin", Json());
    return record;
  } catch (const std::exception&) {  // a field is missing or has another type
    return std::nullopt;
  }
}

}  // namespace headway
