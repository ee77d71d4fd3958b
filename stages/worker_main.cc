// headway-worker: runs stages that need LibTorch, in a separate process.
#include <fmt/format.h>

#include "lib/base/machine.h"
#include "lib/worker/worker_loop.h"
#include "stages/registry.h"
#include "stages/torch_setup.h"
#include "stages/worker_numerics.h"

int main(int argc, char** argv) {
  headway::use_one_thread();
  headway::keep_freed_memory();
  const std::string version =
      fmt::format("headway-worker {} (LibTorch {})", headway::kVersion, headway::torch_version());
  return headway::worker_main(argc, argv, headway::native_stages(), version,
                              headway::worker_numerics());
}
