// Whether tests run under a sanitizer, which is several times slower: long loops then take samples.
#pragma once

#include <cstddef>

namespace headway::testing {

#if defined(__SANITIZE_THREAD__) || defined(HEADWAY_ADDRESS_SANITIZER)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Step for loops over all operations of a run.
inline constexpr std::size_t kStep = kSanitized ? 11 : 1;

}  // namespace headway::testing
