// `headway`: the engine with every stage type declared. Does not link LibTorch, so it starts fast.
#include "lib/cli/main.h"
#include "stages/registry.h"

int main(int argc, char** argv) {
  return headway::headway_main(argc, argv, headway::all_stages());
}
