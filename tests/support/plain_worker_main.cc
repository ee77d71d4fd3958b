// headway-plain-test-worker: a worker with a stage that does not need LibTorch. Pretends to compute
// with what HEADWAY_TEST_NUMERICS says.
#include <cstdlib>

#include "lib/base/machine.h"
#include "lib/worker/worker_loop.h"
#include "tests/support/plain.h"

int main(int argc, char** argv) {
  const char* const pretended = std::getenv("HEADWAY_TEST_NUMERICS");
  return headway::worker_main(argc, argv, {{"plain", headway::testing::run_plain}},
                              "headway-plain-test-worker",
                              pretended ? pretended : headway::numerics_of_cpu());
}
