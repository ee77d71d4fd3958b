#include "stages/extrapolation/stages.h"

namespace headway {

NativeStages extrapolation_native_stages() {
  return {{"analyze-positions", run_analyze_positions},
          {"extrapolate", run_extrapolate},
          {"generate-sorting", run_generate_sorting},
          {"train-classifier", run_train_classifier}};
}

}  // namespace headway
