// How a report shows where it comes from: the graph of stages, their parameters, times and keys.
// Names and values are from files, so they are escaped wherever they stand. Where the report is
// made without times, nothing here depends on when or where the stages ran.
#pragma once

#include "lib/base/file_system.h"
#include "lib/report/piece.h"
#include "lib/report/provenance.h"

namespace headway {

// The graph, laid out by graphviz: a box for each stage of the file (items of a matrix together),
// with its type and time, coloured by whether it was in the cache, linked to its entry below. In
// Markdown: a mermaid graph. An Error where graphviz is not installed, which may write below
// `work`.
Piece graph_piece(const Provenance& provenance, const Path& work);

// An entry for each stage, with the id stage_anchor(name): type and version, command, key, inputs,
// outputs with digests, time, memory, when, by which version and machine, every parameter. Items of
// a matrix are folded into one. In Markdown: a table.
Piece stages_piece(const Provenance& provenance);

// Every parameter of every stage that is not empty: one table (stage, parameter, value), with items
// of a matrix that share a value in one row. Seeds are among them and marked.
Piece parameters_piece(const Provenance& provenance);

// Versions, machines, when, how long: in a few lines.
Piece environment_piece(const Provenance& provenance);

// "stage.ablate@zero": the id of a stage's entry, and as it is after the # of a link. Different
// names have different ids, and none that a heading could have.
std::string stage_anchor(std::string_view stage);
// The same of a family's entry; of a stage alone, the stage's.
std::string family_anchor(const StageFamily& family);

// "stage `importance`, key `3f2a90c1`, `headway run …`": the line under a figure or table, for its
// caption. In HTML the stage's name is a link to its entry.
Piece origin_line(const Provenance& provenance, std::string_view origin);

}  // namespace headway
