// What a key produced: its facts, its outputs, what it cost. Written last, so a record exists only
// if its objects do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/digest.h"
#include "lib/base/json.h"

namespace headway {

// One thing that a key depends on. The names are for people: "param epochs", "input text", "code
// tools/x.py".
struct Fact {
  std::string name;
  std::string value;
  bool operator==(const Fact&) const = default;
};

// Before the digest of a text that the store keeps for a fact.
inline constexpr const char* kListPrefix = "list ";

struct ObjectRef {
  Digest digest;
  std::uint64_t size = 0;
  std::string extension;  // ".csv": programs that read it may care
  bool is_directory = false;
  bool is_executable = false;  // a file; the same bytes without the x bit are another object
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
  std::vector<Fact>
      references;  // params that the stage's text used: for explanations, not in the key
  std::vector<RecordedOutput> outputs;
  double seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t peak_memory = 0;
  std::int64_t finished = 0;  // unix seconds
  std::string version;        // of Headway
  std::string run;            // the run that made it; records of old have none, nor a machine
  Json machine;               // see machine_facts
  bool remembered = false;    // only key and outputs are filled in: the record itself was not read

  const RecordedOutput* find(std::string_view output) const;
};

std::string to_text(const Record& record);
// Nothing where the text is not a whole, unchanged record of this key: a miss, never a crash.
std::optional<Record> parse_record(std::string_view text, const Digest& key);

}  // namespace headway
