// A study is one task: its data, models' analyses, figures and stage types. To add one, write
// lib/NAME and stages/NAME, which defines
//
//     Study NAME_study();
//     NativeStages NAME_native_stages();
//
// and add NAME to HEADWAY_STUDIES in the root CMakeLists.txt, from which CMake generates the two
// lists at the end of this file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/figures/kinds.h"
#include "lib/stage/native_stage.h"

namespace headway {

struct Study {
  std::vector<StageType> stages;
  FigureKinds figures = {};
  // Names a token in the outputs of these stages, for pages; null: tokens are numbers.
  std::function<std::string(int)> token_label = nullptr;
};

std::vector<Study> all_studies();

// The studies' stages by type name. Only in the worker.
NativeStages study_native_stages();

}  // namespace headway
