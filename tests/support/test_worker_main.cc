// headway-test-worker: headway-worker with the stage types of the tests instead of the real ones.
#include "lib/worker/worker_loop.h"
#include "stages/torch_setup.h"
#include "tests/support/fit_line.h"

int main(int argc, char** argv) {
  headway::use_one_thread();
  return headway::worker_main(argc, argv, {{"fit-line", headway::testing::run_fit_line}},
                              "headway-test-worker");
}
