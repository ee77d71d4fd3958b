// A whole pipeline as a group of stages in another one:
//   stages: {small: {uses: ./study.yaml, with: {width: 32}}}
// Stage `train` of study.yaml becomes `small-train`, and its parameter `width` becomes
// `small.width`, so that variants, --set and sweeps reach it like any other.
#pragma once

#include "lib/base/value.h"

namespace headway {

// The sections of the pipeline that a group uses.
struct GroupFile {
  Value params, stages, variants;  // maps
};

// What a group adds to the pipeline that uses it.
struct Group {
  Value params;  // of the group; a map
  ValueMap stages;
};

// `declaration` is the entry in `stages`: `uses`, and `with` (parameters of the group, or of its
// stages: `train.lr`), `in` (stages from outside as inputs: `train.data: corpus`) and `variant`.
Group make_group(const MapEntry& declaration, GroupFile file, Diagnostics& diagnostics);

}  // namespace headway
