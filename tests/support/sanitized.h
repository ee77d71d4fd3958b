// Whether the tests run under a sanitizer, several times slower: loops over everything then take
// samples.
#pragma once

#include <cstddef>

namespace headway::testing {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// For a loop over all operations of a run: every one, or every so many.
inline constexpr std::size_t kStep = kSanitized ? 11 : 1;

}  // namespace headway::testing
