// Exact shares of numbered items: the number decides, not a draw.
#pragma once

#include <cmath>
#include <cstdint>

namespace headway {

// How many of `count` items have a property with this share, 0 .. 1.
inline std::int64_t rounded_share(std::int64_t count, double share) {
  return std::llround(static_cast<double>(count) * share);
}

// Whether the item with this number, from 0, has it. Every prefix has the right share.
inline bool has_share(std::int64_t number, double share) {
  return rounded_share(number + 1, share) > rounded_share(number, share);
}

}  // namespace headway
