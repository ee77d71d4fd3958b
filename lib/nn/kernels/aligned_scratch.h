// Memory of a thread that is kept for its next use, in parts that begin at cache lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace headway {

class AlignedScratch {
 public:
  static constexpr std::int64_t kFloatsInLine = 16;

  // The size that `take(count)` uses up.
  static constexpr std::int64_t size_of(std::int64_t count) {
    return (count + kFloatsInLine - 1) / kFloatsInLine * kFloatsInLine;
  }

  // For parts of `size` floats together. Parts that a thread took before are lost.
  explicit AlignedScratch(std::int64_t size) {
    thread_local Memory memory;
    thread_local std::int64_t capacity = 0;
    if (capacity < size) {
      memory.reset();
      capacity = 0;  // if there is no more memory, the next one must not use this
      const auto bytes = static_cast<std::size_t>(size) * sizeof(float);
      memory.reset(static_cast<float*>(::operator new(bytes, kLine)));
      capacity = size;
    }
    next_ = memory.get();
  }

  // Not initialised.
  float* take(std::int64_t count) { return std::exchange(next_, next_ + size_of(count)); }

 private:
  static constexpr std::align_val_t kLine{kFloatsInLine * sizeof(float)};
  struct Free {
    void operator()(float* memory) const { ::operator delete(memory, kLine); }
  };
  using Memory = std::unique_ptr<float, Free>;

  float* next_;
};

}  // namespace headway
