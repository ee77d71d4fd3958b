// What the numbers of native stages depend on beside their inputs: the code that libraries and our
// kernels choose for this processor.
#pragma once

#include <string>

namespace headway {

// "Intel x86-64-v4 (AVX-512); OpenBLAS 0.3.21 SkylakeX; LibTorch 1.13.1 AVX2; kernels 2
// (x86-64-v3)". The same on equal machines; begins with numerics_of_cpu().
std::string worker_numerics();

}  // namespace headway
