// Shares of numbered things that are exact however many there are: no draw decides which of them
// are of a kind, their numbers do.
#pragma once

#include <cmath>
#include <cstdint>

namespace headway {

// Of `count` things, how many are of a kind that has this share, 0 .. 1.
inline std::int64_t rounded_share(std::int64_t count, double share) {
  return std::llround(static_cast<double>(count) * share);
}

// Whether the thing of this number, from 0, is one of them: so for each first few it is their
// share.
inline bool has_share(std::int64_t number, double share) {
  return rounded_share(number + 1, share) > rounded_share(number, share);
}

}  // namespace headway
