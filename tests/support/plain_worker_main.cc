// headway-plain-test-worker: a worker with a stage that does not need LibTorch.
#include "lib/worker/worker_loop.h"
#include "tests/support/plain.h"

int main(int argc, char** argv) {
  return headway::worker_main(argc, argv, {{"plain", headway::testing::run_plain}},
                              "headway-plain-test-worker");
}
