// A stage type that a user declares in YAML: parameters, inputs, outputs and a command.
//   summary: trains a classifier
//   params:
//     epochs: {type: integer, default: 10, at_least: 1, help: passes over the data}
//     optimiser: {choices: [adam, sgd], default: adam}
//     width: 128                                            # a default alone says the type too
//   in: {data: labelled rows, start: {help: a model to go on from, required: false}}
//   outs: {model: model.pt, metrics: metrics.json}
//   metrics: [accuracy, loss]
//   run: python3 train.py {in.data} --epochs {with.epochs} … --out {out.model}
//   code: [train.py]
//   env: [CUDA_VISIBLE_DEVICES]
//   ignore: [latest.log]                                    # see the stage type `shell`
// Paths are relative to the file that has the declaration, and the command runs in its folder. The
// key has what the declaration says of the result (parameters, command, code, outputs), not its
// name or its help.
#pragma once

#include <string>

#include "lib/base/file_system.h"
#include "lib/stage/stage_type.h"

namespace headway {

// Reads a declaration. Mistakes go to `diagnostics`; then the type serves only to find more of
// them. `folder` is that of the file, `shown` the same as the user wrote it.
StageType read_declared_type(const std::string& name, const SourceLocation& location,
                             const Value& declaration, const Path& folder, const Path& shown,
                             FileSystem& files, Diagnostics& diagnostics);

// Whether a file is the declaration of one type, not a pipeline.
bool is_type_file(const Value& document);

}  // namespace headway
