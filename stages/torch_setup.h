// Sets up LibTorch in every worker, before any stage.
#pragma once

#include <string>

namespace headway {

// One thread per operator, because stages and shards run in parallel. Also needed when the
// environment does not set it: in a cluster's job, or a worker started by hand.
void use_one_thread();

// Makes malloc keep freed memory for the next step: returning large blocks to the kernel costs a
// page fault for every 4 kB.
void keep_freed_memory();

std::string torch_version();  // "1.13.1"

}  // namespace headway
