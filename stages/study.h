// A study is one task: its data, figures and stage types. To add one, write
// lib/NAME and stages/NAME, which defines
//
//     Study NAME_study();
//     NativeStages NAME_native_stages();
//
// and add NAME to HEADWAY_STUDIES in the root CMakeLists.txt, from which CMake generates the two
// lists at the end of this file.
#pragma once

#include <vector>

#include "lib/data/sample_source.h"
#include "lib/figures/kinds.h"
#include "lib/stage/native_stage.h"

namespace headway {

struct Study {
  std::vector<StageType> stages;
  FigureKinds figures = {};
  SourceMakers sources = {};  // of the datasets it makes
};

std::vector<Study> all_studies();
SourceMakers all_sources();  // of all studies

// The studies' stages by type name. Only in the worker.
NativeStages study_native_stages();

}  // namespace headway
