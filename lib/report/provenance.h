// Provenance as stored and grouped by reports, and its parts as plain text, not escaped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/stage/provenance.h"

namespace headway {

// The provenance as one line of JSON. Its digest is part of a report's key, so its bytes must not
// change without need.
//
//     {"pipeline", "variant", "file", "report", "has_times",
//      "stages": [{"name", "family", "type", "version", "params", "references", "inputs",
//                  "outputs", "key", "command", and with times: "seconds", "cpu_seconds",
//                  "peak_memory", "finished", "run", "headway", "machine", "numerics"}],
//      "inputs": [{"port", "sources": ["stage.output"]}]}
std::string provenance_text(const Provenance& provenance);
// Parses it. Throws Error with the location of what is wrong.
Provenance parse_provenance(std::string_view json);

// An entry of the pipeline file: one stage, or the items of a matrix.
struct StageFamily {
  std::string name;                         // "ablate"; for a single stage its own name
  std::vector<const StageOrigin*> members;  // never empty
};
std::vector<StageFamily> families_of(const Provenance& provenance);  // in order of the first stage
double seconds_of(const StageFamily& family);                        // of all members together

// Whether the stage is older than the newest run that made any of the stages.
bool is_from_cache(const Provenance& provenance, const StageOrigin& stage);

struct FlatParameter {
  std::string name;   // "model.d_model"
  std::string value;  // text unquoted, other values as JSON
};

// All non-empty parameters; those in maps have dotted paths.
std::vector<FlatParameter> parameters_of(const StageOrigin& stage);

// The value, or its first `most` characters and its length.
std::string shortened_value(const std::string& value, std::size_t most);

// The known parts of "node7, AMD EPYC 7B13, 2 cores, Debian 12, LibTorch 1.13.1".
std::string machine_text(const Json& machine);

std::string utc_text(std::int64_t unix_seconds);  // "2026-11-16 13:48 UTC"

}  // namespace headway
