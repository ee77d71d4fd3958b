#include "stages/torch_setup.h"

#include <ATen/Parallel.h>
#include <malloc.h>
#include <torch/version.h>

// OpenBLAS, if LibTorch uses it; null otherwise.
extern "C" [[gnu::weak]] void openblas_set_num_threads(int count);

namespace headway {

void use_one_thread() {
  at::set_num_threads(1);
  at::set_num_interop_threads(1);
  if (openblas_set_num_threads) openblas_set_num_threads(1);
}

void keep_freed_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 64 << 20);  // bytes
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

std::string torch_version() {
  return TORCH_VERSION;
}

}  // namespace headway
