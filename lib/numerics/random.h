// Random streams identified by a seed and a few numbers (a use, an epoch, a step); draws depend on
// nothing else. So continuing a computation needs no saved state, and draws do not depend on other
// threads or stages.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

namespace headway {

// A bijective hash: the finaliser of SplitMix64.
constexpr std::uint64_t scatter(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

class RandomStream {
 public:
  explicit constexpr RandomStream(std::uint64_t seed,
                                  std::initializer_list<std::uint64_t> purpose = {})
      : state_(scatter(seed + kStep)) {
    // Not symmetric: stream 1 of seed 2 is not stream 2 of seed 1.
    for (const std::uint64_t part : purpose) state_ = scatter(state_ * kFactor + part);
  }

  constexpr std::uint64_t next() { return scatter(state_ += kStep); }  // SplitMix64

  // Uniform in 0 .. bound - 1, without bias. Expects bound > 0.
  constexpr std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t surplus = (0 - bound) % bound;  // 2^64 mod bound
    std::uint64_t draw = next();
    while (draw < surplus) draw = next();
    return draw % bound;
  }
  // Uniform in [0, 1), all 53 bits.
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  template <class T>
  constexpr void shuffle(std::span<T> items) {
    for (std::size_t left = items.size(); left > 1; --left)
      std::swap(items[left - 1], items[below(left)]);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;    // 2^64 / golden ratio
  static constexpr std::uint64_t kFactor = 0xd1342543de82ef95ULL;  // odd, good in the spectral test
  std::uint64_t state_;
};

}  // namespace headway
