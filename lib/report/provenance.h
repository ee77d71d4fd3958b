// Provenance as stored and grouped by reports.
#pragma once

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
//                  "peak_memory", "finished", "run", "headway", "machine"}],
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

// Whether the stage is older than the newest run that made any of the stages.
bool is_from_cache(const Provenance& provenance, const StageOrigin& stage);

}  // namespace headway
