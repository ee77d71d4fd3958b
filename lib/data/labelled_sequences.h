// Sequences of integers with labels, for classifiers. Padded at the end with kNoValue.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "lib/numerics/safetensors.h"

namespace headway {

inline constexpr std::int32_t kNoValue = -1;  // padding

struct LabelledSequences {
  std::int64_t width = 0;             // L: at least the longest length
  std::vector<std::int32_t> values;   // [N, L]
  std::vector<std::int32_t> lengths;  // [N]
  std::vector<std::int32_t> labels;   // [N]: 0 or 1

  std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
  // Without the padding.
  std::span<const std::int32_t> sequence(std::int64_t sample) const {
    const auto row = static_cast<std::size_t>(sample);
    return std::span(values).subspan(row * static_cast<std::size_t>(width),
                                     static_cast<std::size_t>(lengths[row]));
  }

  bool operator==(const LabelledSequences&) const = default;
};

// Adds a sequence. It must not be longer than `sequences.width`, which must be set.
void append_sequence(std::span<const std::int32_t> sequence, std::int32_t label,
                     LabelledSequences& sequences);

// Sequences as bytes, for look-ups; refers to the memory of its source.
using SequenceSet = std::unordered_set<std::string_view>;
std::string_view sequence_bytes(std::span<const std::int32_t> sequence);
SequenceSet set_of(const LabelledSequences& sequences);

// Adds arrays PREFIX.values [N, L], PREFIX.lengths [N], PREFIX.labels [N], I32.
void add_to(TensorFile& file, const std::string& prefix, const LabelledSequences& sequences);
// Throws Error with the array and the first bad row (from 0): a value outside 0 .. range - 1, a
// length outside 1 .. L, no padding after the end, a label other than 0 or 1, arrays of different
// sizes, or no rows.
LabelledSequences sequences_from(const TensorFile& file, const std::string& prefix,
                                 std::int64_t range);

}  // namespace headway
