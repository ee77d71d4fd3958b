// Sequences of whole numbers, each with a label: what a classifier is trained and measured on.
// Plain data, padded at the end with a value that is none of the sequence's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "lib/numerics/safetensors.h"

namespace headway {

inline constexpr std::int32_t kNoValue = -1;  // behind the end of a sequence

struct LabelledSequences {
  std::int64_t width = 0;             // L: at least the longest one's length
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

// Behind the others; no longer than the width, which must be set.
void append_sequence(std::span<const std::int32_t> sequence, std::int32_t label,
                     LabelledSequences& sequences);

// Sequences as bytes, to ask whether one of them is there; valid as long as what it was made from.
using SequenceSet = std::unordered_set<std::string_view>;
std::string_view sequence_bytes(std::span<const std::int32_t> sequence);
void insert_all(const LabelledSequences& sequences, SequenceSet& set);

// Arrays PREFIX.values [N, L], PREFIX.lengths [N], PREFIX.labels [N], I32.
void add_to(TensorFile& file, const std::string& prefix, const LabelledSequences& sequences);
// Errors name the array and the first bad row (from 0): a value that is not in 0 .. range - 1, a
// length that is not in 1 .. L, something else than padding behind the end, a label that is not 0
// or 1, arrays that do not fit each other, no rows.
LabelledSequences sequences_from(const TensorFile& file, const std::string& prefix,
                                 std::int64_t range);

}  // namespace headway
