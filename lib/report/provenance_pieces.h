// The parts of a report about its origin: the graph of stages, their parameters, times and keys.
// All names and values are escaped. Without times, nothing depends on when or where stages ran.
#pragma once

#include "lib/base/file_system.h"
#include "lib/report/pieces.h"
#include "lib/report/provenance.h"

namespace headway {

// The graph, laid out by graphviz: a box for each stage of the file (one for all items of a matrix)
// with type and time, coloured if it was in the cache, linked to its entry in stages_piece. In
// Markdown: a mermaid graph. `work` is for temporary files. Throws Error if graphviz is not
// installed.
Piece graph_piece(const Provenance& provenance, const Path& work);

// An entry for each stage, with the id stage_anchor(name): type, version, command, key, inputs,
// outputs with digests, parameters, and with times: time, memory, date, program, machine and
// numerics. Items of a matrix are folded into one entry. In Markdown: a table.
Piece stages_piece(const Provenance& provenance);

// A table (stage, parameter, value, note) of all non-empty parameters. Items of a matrix with the
// same value share a row. Seeds are marked.
Piece parameters_piece(const Provenance& provenance);

// A few lines: versions, machines, numerics, dates, times.
Piece environment_piece(const Provenance& provenance);

// The id of a stage's entry: "stage.ablate@zero". Different for different names and from all
// heading ids.
std::string stage_anchor(std::string_view stage);
// The id of a family's entry; for a single member, that of the stage.
std::string family_anchor(const StageFamily& family);

// The line below a figure or table: "stage `importance`, key `3f2a90c1`, `headway run …`". In HTML
// the stage links to its entry.
Piece origin_line(const Provenance& provenance, std::string_view origin);

}  // namespace headway
