// Datasets: named splits of token sequences, and what the data says about them. Inputs are
// sequences; what is wanted of a model is a target sequence, a label, or the input's own next
// tokens. One safetensors file holds a dataset (README, "The dataset format"):
//
//     metadata   format "headway dataset 1"; as JSON vocabulary (words), classes, groups, roles,
//                relations, generator
//     arrays     I32, for each split: SPLIT.input [N, S] and SPLIT.target [N, T], padded;
//                SPLIT.label [N]; SPLIT.group.NAME [N]; SPLIT.input_roles, SPLIT.target_roles,
//                SPLIT.input_positions, SPLIT.target_positions, SPLIT.input_asked, of the same
//                shape as their sequences; SPLIT.pairs.NAME [P, 2]
#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "lib/base/json.h"
#include "lib/data/legend.h"
#include "lib/numerics/safetensors.h"

namespace headway {

enum class TargetKind {
  kSequence,  // a target sequence for each input
  kLabel,     // a class for each input
  kNone,      // the inputs themselves, token by token
};

inline constexpr std::int64_t kLongestSequence = 65'536;
inline constexpr std::int64_t kMostSamples = 2'147'483'647;  // of a split
inline constexpr std::size_t kMostSplits = 1000;

using SamplePair = std::array<std::int32_t, 2>;  // two samples of a split

struct Split {
  std::shared_ptr<const Legend> legend;
  std::int64_t input_length = 0;     // S: at least the longest input
  std::int64_t target_length = 0;    // T; 0: no target sequences
  std::vector<Token> inputs;         // [N, S], padded at the end
  std::vector<Token> targets;        // [N, T], padded at the end; never starts with bos
  std::vector<std::int32_t> labels;  // [N]; empty: no labels
  std::vector<std::vector<std::int32_t>> groups;  // [N] for each group of the legend: its value
  // Of each position; empty: not declared.
  std::vector<std::int32_t> input_roles;       // [N, S]; kNoRole: none
  std::vector<std::int32_t> target_roles;      // [N, T]
  std::vector<std::int32_t> input_positions;   // [N, S]: in place of counting
  std::vector<std::int32_t> target_positions;  // [N, T]
  // Input tokens that a decoder-only model should predict (1) or not (0). Empty: none if there are
  // target sequences, else all.
  std::vector<std::int32_t> input_asked;                              // [N, S]
  std::map<std::string, std::vector<SamplePair>, std::less<>> pairs;  // by what differs

  const Vocabulary& vocabulary() const { return legend->vocabulary; }
  TargetKind kind() const;
  std::int64_t size() const {
    return input_length == 0 ? 0 : static_cast<std::int64_t>(inputs.size()) / input_length;
  }
  std::span<const Token> input(std::int64_t sample) const;   // with padding
  std::span<const Token> target(std::int64_t sample) const;  // with padding; empty: no targets
  std::int64_t input_size(std::int64_t sample) const;        // without padding
  std::int64_t target_size(std::int64_t sample) const;       // without padding, with the end marker
  // Whether a decoder alone should predict this token of an input.
  bool asks(std::int64_t sample, std::int64_t at) const {
    return input_asked.empty()
               ? target_length == 0
               : input_asked[static_cast<std::size_t>(sample * input_length + at)] != 0;
  }
  bool has_equal_lengths() const;  // no input and no target is padded
  // Whether a sample has an answer that is right as a whole. Plain sequences have none: a model
  // predicts all of their tokens, each of which is right or wrong by itself.
  bool has_answers() const { return kind() != TargetKind::kNone || !input_asked.empty(); }

  // Adds a sample of another split, which must have the same legend and arrays. If its rows are
  // longer, those that are there are padded. Pairs are left out.
  void append(const Split& from, std::int64_t sample);

  // Of the legends, compares contents.
  bool operator==(const Split& other) const;
};

// A sample as text: "374+814 -> 1188", "sorted: 1 2 3" for the class "sorted".
std::string sample_text(const Split& split, std::int64_t sample);

inline constexpr std::string_view kSplitNames[] = {"train", "val", "test"};  // always there
// Letters, digits, '_', '-' and '.'; the parts between dots are not empty, "group" or "pairs".
bool is_split_name(std::string_view name);

struct Dataset {
  std::shared_ptr<const Legend> legend;
  std::map<std::string, Split, std::less<>> splits;
  // What can make more samples (lib/data/sample_source.h): a map with its "name"; null: nothing.
  Json generator;

  TargetKind kind() const { return split("train").kind(); }
  // Throws Error with the names that there are.
  const Split& split(std::string_view name) const;
  // The longest row of all splits: inputs, and targets.
  std::int64_t longest_input() const;
  std::int64_t longest_target() const;

  bool operator==(const Dataset& other) const;
};

TensorFile to_tensor_file(const Dataset& dataset);
// Throws Error that begins with `name`, with the array and the first bad row (from 0) if a token,
// label, role, position or pair cannot be, padding is in the middle or has a role, arrays do not
// fit together, or one is not known.
Dataset dataset_from(const TensorFile& file, const std::string& name);

// Sequences as bytes, for look-ups; refers to the memory of its source.
using SequenceSet = std::unordered_set<std::string_view>;
std::string_view sequence_bytes(std::span<const Token> sequence);
SequenceSet inputs_of(const Split& split);  // without padding

}  // namespace headway
