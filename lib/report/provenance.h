// Provenance as a report keeps and groups it.
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
// Reads it. Throws Error that names the place where the text is not of that form.
Provenance parse_provenance(std::string_view json);

// What one entry of the pipeline file stands for: a stage, or the items of a matrix.
struct StageFamily {
  std::string name;                         // "ablate"; of a stage alone, its own
  std::vector<const StageOrigin*> members;  // never empty
};
std::vector<StageFamily> families_of(const Provenance& provenance);  // in order of the first stage

// Whether the stage was made before the newest run that made any of the stages.
bool is_from_cache(const Provenance& provenance, const StageOrigin& stage);

}  // namespace headway
