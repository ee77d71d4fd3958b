#include "stages/study.h"

#include "lib/addition/addition_source.h"
#include "stages/addition/stages.h"

namespace headway {

Study addition_study() {
  return {.stages = {generate_addition_stage()},
          .sources = {{kAdditionGenerator, addition_source}}};
}

NativeStages addition_native_stages() {
  return {{"generate-addition", run_generate_addition}};
}

}  // namespace headway
