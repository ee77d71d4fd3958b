// How LibTorch is set up in every worker, before any stage.
#pragma once

#include <string>

namespace headway {

// One thread for every operator: parallelism is ours, across stages and shards. Also where the
// environment, which is what the libraries read while they load, says nothing: a cluster's job, a
// worker run by hand.
void use_one_thread();

std::string torch_version();  // "1.13.1"

}  // namespace headway
