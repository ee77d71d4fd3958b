#include "stages/registry.h"

#include "stages/shell.h"

namespace headway {

StageRegistry all_stages() {
  StageRegistry registry;
  registry.add(shell_stage());
  return registry;
}

}  // namespace headway
