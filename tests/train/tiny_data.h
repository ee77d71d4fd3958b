// Data so small that a test of a whole training takes less than a second.
#pragma once

#include "lib/addition/addition.h"
#include "lib/data/dataset.h"
#include "lib/nn/transformer_config.h"

namespace headway::testing {

// The kinds of models by what they do.
inline constexpr ModelKind kClassifier = ModelKind::kEncoder, kBoth = ModelKind::kEncoderDecoder,
                           kWriter = ModelKind::kDecoder;

// Words "0" to "9", and "+" after them if there are no classes.
std::shared_ptr<const Legend> plain_legend(std::vector<std::string> classes = {});
inline constexpr Token kPad = 11, kBos = 12, kEnd = 13;  // without classes

using Tokens = std::vector<Token>;
// Rows as long as the longest. Neither labels nor groups.
Split split_of(std::shared_ptr<const Legend> legend, const std::vector<Tokens>& inputs,
               const std::vector<Tokens>& targets = {});

// With the groups and roles of additions.
Split additions(int digits, std::int64_t count, std::uint64_t seed = 1);
Split additions(int digits, const std::vector<AdditionProblem>& problems);
Split all_one_digit_additions();
// Numbers of one or two digits: padded inputs, and targets of different lengths with an end marker.
Split uneven_additions(std::int64_t count, std::uint64_t seed = 1);

// Sequences in three classes: falling, mixed, rising (or all equal); equally many of each drawn.
Split labelled(const std::vector<Tokens>& inputs);
Split random_sequences(std::int64_t count, std::int64_t from, std::int64_t to,
                       std::uint64_t seed = 1);

// Without targets: some tokens, and the same once more. Of a model they ask everything, or only the
// second half.
enum class Asked { kAll, kSuffix };
Split repetitions(std::int64_t count, Asked asked, std::uint64_t seed = 1);

// Uneven data for models of a kind: labels, target sequences, and for a decoder either of the
// others.
Split uneven_data(ModelKind kind, std::int64_t count, std::uint64_t seed = 1);

// The same with positions: those of inputs are 0, 1, 2, 0, 1, 2, …, in every second sample shifted
// by 1; those of targets grow from 1. Padding is at 0.
Split with_positions(Split split);

Dataset dataset_of(const Split& train, const Split& val);

std::vector<std::int64_t> all_of(const Split& split);

}  // namespace headway::testing
