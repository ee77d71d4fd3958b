// Sequence-to-sequence datasets: three splits of padded token matrices, stored as one safetensors
// file (arrays train.input [N, S], train.target [N, T], val.…, test.…, I32).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/data/vocabulary.h"
#include "lib/numerics/safetensors.h"

namespace headway {

struct Seq2SeqSplit {
  Vocabulary vocabulary;
  std::int64_t input_length = 0;   // S
  std::int64_t target_length = 0;  // T
  std::vector<Token> inputs;       // [N, S], padded at the end
  std::vector<Token> targets;      // [N, T], padded at the end; never starts with bos

  std::int64_t size() const {
    return input_length == 0 ? 0 : static_cast<std::int64_t>(inputs.size()) / input_length;
  }
  std::span<const Token> input(std::int64_t sample) const {
    return std::span(inputs).subspan(static_cast<std::size_t>(sample * input_length),
                                     static_cast<std::size_t>(input_length));
  }
  std::span<const Token> target(std::int64_t sample) const {
    return std::span(targets).subspan(static_cast<std::size_t>(sample * target_length),
                                      static_cast<std::size_t>(target_length));
  }
  // Adds a sample of another split. An empty one takes over vocabulary and lengths, which must
  // otherwise be the same.
  void append(const Seq2SeqSplit& from, std::int64_t sample);
};

inline constexpr std::string_view kSplitNames[] = {"train", "val", "test"};

struct Seq2SeqData {
  Seq2SeqSplit train, val, test;

  const Seq2SeqSplit& split(std::string_view name) const;  // Error for other names
  Seq2SeqSplit& split(std::string_view name);
};

TensorFile to_tensor_file(const Seq2SeqData& data);
// The file names its vocabulary; if `expected` is given, it may omit it but not name another.
// Throws Error with the array and the first bad row (from 0): an invalid or misplaced token,
// padding in the middle, splits of different lengths, or an empty split.
Seq2SeqData seq2seq_data_from(const TensorFile& file, const std::string& name,
                              const Vocabulary* expected = nullptr);

}  // namespace headway
