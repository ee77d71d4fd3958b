// Where a stage's inputs come from: every stage upstream, as plain data. The engine collects it for
// stage types that ask (StageType::provenance).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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
    std::string digest;  // hexadecimal
    std::uint64_t size = 0;
  };

  std::string name;    // "ablate@zero"
  std::string family;  // "ablate"
  std::string type;    // "ablate-model"
  int version = 1;     // of the type
  Json params;         // resolved
  Json references;     // the pipeline parameters that the stage's text uses: name -> value
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::string key;      // hexadecimal
  std::string command;  // the command line that makes it again

  // Empty, zero or null in a provenance without times, or where the record does not say.
  double seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t peak_memory = 0;  // bytes
  std::int64_t finished = 0;      // unix seconds
  std::string run;                // id of the run that made it
  std::string headway;            // version of the program that made it
  Json machine;                   // {"cpu": …, "cores": …, "system": …, "libtorch": …}
  std::string numerics;           // what its numbers depend on beside its inputs
};

struct Provenance {
  std::string pipeline;
  std::string variant;  // may be empty
  std::string file;     // "pipelines/addition.yaml"
  std::string stage;    // the stage that asked
  bool has_times = true;
  std::vector<StageOrigin> stages;         // each after the stages it reads
  std::vector<StageOrigin::Input> inputs;  // of the stage that asked

  const StageOrigin* find(std::string_view name) const;  // null: no such stage
  // The stage of "ablate@zero.heads"; null: no such stage.
  const StageOrigin* maker_of(std::string_view origin) const;
};

}  // namespace headway
