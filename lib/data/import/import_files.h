// JSON, JSON Lines and CSV to samples. Mistakes are located by the file and the record: counted
// from 0 in lists, as scripts count them, by the line in the other formats.
#pragma once

#include <functional>
#include <optional>

#include "lib/data/import/record_reader.h"

namespace headway {

struct ImportFile {
  std::string name;  // for messages
  ImportFormat format = ImportFormat::kJson;
  std::string split;                  // whose samples it has; "": the file says it, or it is drawn
  std::function<std::string()> read;  // its bytes
};

// By the ending of a file's name: .json, .jsonl, .ndjson, .csv. Nothing for others.
std::optional<ImportFormat> format_of(const std::string& file);

// What a JSON map says beside its records, as in legend_from (lib/data/legend_json.h); numbers in
// lists may stand for texts. Empty: nothing.
struct ImportHeader {
  Json parts = Json::object();
  std::string file;  // that says it
};

// Adds the samples of a file. Throws Error that names the file if it cannot be read, has no record,
// or has a header unlike that of an earlier file.
void read_import_file(const ImportFile& file, RecordReader& reader, SampleTable& table,
                      ImportHeader& header);

}  // namespace headway
