// Where everything in a report comes from: the stages it rests on, as the engine tells them
// (lib/run/provenance.h writes the JSON). Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/json.h"

namespace headway {

struct StageOrigin {
  struct Input {
    std::string port;
    std::vector<std::string> sources;  // "ablate@zero.heads"
  };
  struct Output {
    std::string name;
    std::string file;
    std::string digest;
    std::uint64_t size = 0;
  };

  std::string name;    // "ablate@zero"
  std::string family;  // "ablate"
  std::string type;    // "ablate-heads"
  int version = 1;     // of the type
  Json params;         // resolved
  Json references;     // parameters of the pipeline that its text uses: name -> value, as text
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::string key;      // hexadecimal
  std::string command;  // what makes it again

  // Empty, zero or null where the report is made without times.
  double seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t peak_memory = 0;  // bytes
  std::int64_t finished = 0;      // unix seconds
  std::string run;                // the run that made it
  std::string headway;            // version of the program that made it
  Json machine;                   // {"cpu": …, "cores": …, "system": …, "libtorch": …}
};

struct Provenance {
  std::string pipeline;
  std::string variant;  // or the sweep's name; may be empty
  std::string file;     // "pipelines/addition.yaml"
  std::string report;   // the stage that is the report itself
  bool has_times = true;
  std::vector<StageOrigin> stages;  // each after those it reads
  // What the report's own inputs are: name -> "stage.output" of each member.
  std::vector<StageOrigin::Input> inputs;

  const StageOrigin* find(std::string_view stage) const;  // null where there is none
  // The stage of "ablate@zero.heads"; null where there is none.
  const StageOrigin* maker_of(std::string_view origin) const;
};

// What one entry of the pipeline file stands for: a stage, or the items of a matrix.
struct StageFamily {
  std::string name;                         // "ablate"; of a stage alone, its own
  std::vector<const StageOrigin*> members;  // never empty
};
std::vector<StageFamily> families_of(const Provenance& provenance);  // in order of the first stage

// An Error where the text is not what the engine writes.
Provenance parse_provenance(std::string_view json);

// Whether it was there already in the newest of the runs that made any of it.
bool is_from_cache(const Provenance& provenance, const StageOrigin& stage);

}  // namespace headway
