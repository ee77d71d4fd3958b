// Where the inputs of a stage come from: all stages it rests on, told as JSON to those whose type
// asks for it (StageType::provenance). lib/report/provenance.h reads it.
//
//     {"pipeline", "variant", "file", "report", "has_times",
//      "stages": [{"name", "family", "type", "version", "params", "references", "inputs",
//                  "outputs", "key", "command", and with times: "seconds", "cpu_seconds",
//                  "peak_memory", "finished", "run", "headway", "machine"}],
//      "inputs": [{"port", "sources": ["stage.output"]}]}
#pragma once

#include <string>

#include "lib/run/facts.h"

namespace headway {

inline constexpr const char* kProvenanceFact = "provenance";

// All stages upstream must be finished.
std::string provenance_text(const PipelineSpec& pipeline, const StageSpec& stage,
                            const Finished& finished, Store& store);

// Of a fact whose value is a text that the store keeps: which.
Digest list_digest(const Fact& fact);

}  // namespace headway
