// What a key produced: its facts, outputs and cost. Written after its objects, so that a record
// implies its objects.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/digest.h"
#include "lib/base/json.h"

namespace headway {

// One thing that a key depends on. Names are for people: "param epochs", "input text", "code
// tools/x.py".
struct Fact {
  std::string name;
  std::string value;
  bool operator==(const Fact&) const = default;
};

// The value of a fact that stands for a text: a fan-in's members, say. Store::put_list keeps it.
std::string list_value(const Digest& text);
// The digest in such a value; nothing if the value is not one.
std::optional<Digest> list_digest(std::string_view value);

struct ObjectRef {
  Digest digest;
  std::uint64_t size = 0;
  std::string extension;  // ".csv", for programs that go by it; may be empty
  bool is_directory = false;
  bool is_executable = false;  // of a file; the same bytes without the x bit are another object
};

struct RecordedOutput {
  std::string name;
  std::string file;
  ObjectRef object;
};

struct Record {
  Digest key;
  std::string stage;  // who made it first, for people
  std::string pipeline;
  std::vector<Fact> facts;
  std::vector<Fact> references;  // params that the stage's text used; not part of the key
  std::vector<RecordedOutput> outputs;
  double seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t peak_memory = 0;
  std::int64_t finished = 0;  // unix seconds
  std::string version;        // of Headway
  std::string run;            // the run that made it; old records have neither run nor machine
  Json machine;               // where it was made (machine_facts)
  std::string numerics;       // what its numbers depend on (numerics_of_cpu); "" in old records
  Json origin;  // file, arguments, digests, commit; null in old records. Never part of the key
  bool remembered = false;  // only key and outputs are set: the record was not read

  // Null if there is no such output.
  const RecordedOutput* find(std::string_view output) const;
};

// JSON with a checksum.
std::string to_text(const Record& record);
// Nothing unless the text is an undamaged record of this key. Never throws.
std::optional<Record> parse_record(std::string_view text, const Digest& key);

}  // namespace headway
