// headway-plain-test-worker: the worker's loop with a stage that needs no LibTorch.
#include "lib/worker/worker_loop.h"
#include "tests/support/plain.h"

int main(int argc, char** argv) {
  return headway::worker_main(argc, argv, {{"plain", headway::testing::run_plain}},
                              "headway-plain-test-worker");
}
