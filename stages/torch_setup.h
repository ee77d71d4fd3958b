// How LibTorch is set up in every worker, before any stage.
#pragma once

#include <string>

namespace headway {

// One thread for every operator: parallelism is ours, across stages and shards. Also where the
// environment, which is what the libraries read while they load, says nothing: a cluster's job, a
// worker run by hand.
void use_one_thread();

// Memory that a step frees is the next step's: giving it back to the kernel, as malloc does with
// large pieces, costs a page fault for every 4 kB of it.
void keep_freed_memory();

std::string torch_version();  // "1.13.1"

}  // namespace headway
