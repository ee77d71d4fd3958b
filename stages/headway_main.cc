// `headway`: the engine with every stage type declared. Links no LibTorch, so that it answers at
// once.
#include "lib/cli/main.h"
#include "stages/registry.h"

int main(int argc, char** argv) {
  return headway::headway_main(argc, argv, headway::all_stages());
}
