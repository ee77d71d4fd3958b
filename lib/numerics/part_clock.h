// Where the time of a computation goes: the time that each thread spends in named parts of it. Off
// unless a benchmark turns it on; then it costs two looks at the clock for each piece of work.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "lib/base/enum_names.h"

namespace headway {

enum class Part { kProducts, kAttention, kNorms, kActivations, kOptimiser, kBatches };
template <>
inline constexpr std::string_view kNamesOf<Part>[] = {"products",    "attention", "norms",
                                                      "activations", "optimiser", "batches"};
inline constexpr std::size_t kParts = std::size(kNamesOf<Part>);

class PartClock {
 public:
  // Starts from nothing.
  static void turn_on() {
    for (auto& sum : sums_) sum = 0;
    multiplications_ = 0;
    on_ = true;
  }
  static void turn_off() { on_ = false; }
  static bool is_on() { return on_.load(std::memory_order_relaxed); }

  static void add(Part part, std::chrono::nanoseconds time, std::int64_t multiplications) {
    sums_[static_cast<std::size_t>(part)].fetch_add(time.count(), std::memory_order_relaxed);
    multiplications_.fetch_add(multiplications, std::memory_order_relaxed);
  }
  // Of all threads together.
  static double seconds(Part part) {
    return static_cast<double>(sums_[static_cast<std::size_t>(part)].load()) * 1e-9;
  }
  // Of all matrix products: multiplications, each with an addition.
  static std::int64_t multiplications() { return multiplications_; }

 private:
  inline static std::atomic<bool> on_ = false;
  inline static std::array<std::atomic<std::int64_t>, kParts> sums_;
  inline static std::atomic<std::int64_t> multiplications_ = 0;
};

// Counts the time until its end for a part.
class TimedPart {
 public:
  explicit TimedPart(Part part, std::int64_t multiplications = 0)
      : part_(part), multiplications_(multiplications), is_on_(PartClock::is_on()) {
    if (is_on_) start_ = Clock::now();
  }
  ~TimedPart() {
    if (is_on_) PartClock::add(part_, Clock::now() - start_, multiplications_);
  }
  TimedPart(const TimedPart&) = delete;
  TimedPart& operator=(const TimedPart&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  Part part_;
  std::int64_t multiplications_;
  bool is_on_;
  Clock::time_point start_;
};

}  // namespace headway
