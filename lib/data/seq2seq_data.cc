#include "lib/data/seq2seq_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {
namespace {

constexpr const char* kVocabularyKey = "vocabulary";
constexpr std::array<std::int64_t, 2> kMatrix = {-1, -1};

// Describes a mistake in a row of a split; "" if there is none.
std::string mistake_in(std::span<const Token> row, bool is_target, const Vocabulary& vocabulary) {
  const auto ending = std::find_if(row.begin(), row.end(), [&](Token token) {
    return token == vocabulary.pad() || (is_target && token == vocabulary.end());
  });
  for (const Token token : std::span(row.begin(), ending)) {
    if (!vocabulary.is_word(token))
      return fmt::format("{} ({}) cannot stand in {}", token, vocabulary.text(token),
                         is_target ? "a target" : "an input");
  }
  if (ending == row.begin()) return "it is empty";
  const Token pad = vocabulary.pad();
  const auto padding = ending == row.end() || *ending == pad ? ending : ending + 1;
  const auto stray = std::find_if(padding, row.end(), [&](Token token) { return token != pad; });
  if (stray == row.end()) return "";
  return fmt::format("{} ({}) at column {}, after the end of the sequence", *stray,
                     printable(vocabulary.text(*stray)), stray - row.begin());
}

// Reads and checks one of the six arrays: [N, length], all valid tokens.
std::vector<Token> read_tokens(const TensorFile& file, const std::string& array_name,
                               bool is_target, const Vocabulary& vocabulary, std::int64_t& length) {
  const Array& array = file.at(array_name, ElementType::kI32, kMatrix);
  length = array.shape[1];
  if (array.count() == 0)
    throw Error("array '{}': {} holds no samples", array_name, shape_text(array.shape));
  std::vector<Token> tokens = array.ints();
  for (std::int64_t row = 0; row < array.shape[0]; ++row) {
    const std::string mistake =
        mistake_in(std::span(tokens).subspan(static_cast<std::size_t>(row * length),
                                             static_cast<std::size_t>(length)),
                   is_target, vocabulary);
    if (!mistake.empty()) throw Error("array '{}': row {}: {}", array_name, row, mistake);
  }
  return tokens;
}

Seq2SeqSplit read_split(const TensorFile& file, const std::string& split_name,
                        const Vocabulary& vocabulary) {
  Seq2SeqSplit split;
  split.vocabulary = vocabulary;
  split.inputs = read_tokens(file, split_name + ".input", false, vocabulary, split.input_length);
  split.targets = read_tokens(file, split_name + ".target", true, vocabulary, split.target_length);
  const std::int64_t targets =
      static_cast<std::int64_t>(split.targets.size()) / split.target_length;
  if (split.size() != targets)
    throw Error("'{0}.input' has {1} rows, but '{0}.target' has {2}", split_name, split.size(),
                targets);
  return split;
}

Vocabulary read_vocabulary(const TensorFile& file, const Vocabulary* expected) {
  const auto found = file.metadata.find(kVocabularyKey);
  if (found == file.metadata.end()) {
    if (expected) return *expected;
    file.at("train.input", ElementType::kI32, kMatrix);  // if it is no dataset, say that
    throw Error("it has no metadata 'vocabulary': the words of its tokens, then pad bos end");
  }
  const std::optional<Vocabulary> vocabulary = Vocabulary::parse(found->second);
  if (vocabulary && (!expected || *vocabulary == *expected)) return *vocabulary;
  throw Error("its tokens are '{}', but should {}", fit(printable(found->second), 80),
              expected ? fmt::format("be '{}'", expected->listed()) : "end with 'pad bos end'");
}

}  // namespace

void Seq2SeqSplit::append(const Seq2SeqSplit& from, std::int64_t sample) {
  if (inputs.empty()) *this = {from.vocabulary, from.input_length, from.target_length, {}, {}};
  assert(input_length == from.input_length && target_length == from.target_length);
  std::ranges::copy(from.input(sample), std::back_inserter(inputs));
  std::ranges::copy(from.target(sample), std::back_inserter(targets));
}

const Seq2SeqSplit& Seq2SeqData::split(std::string_view name) const {
  if (name == "train") return train;
  if (name == "val") return val;
  if (name == "test") return test;
  throw Error("no split '{}'; there are train, val, test", printable(name));
}

Seq2SeqSplit& Seq2SeqData::split(std::string_view name) {
  return const_cast<Seq2SeqSplit&>(std::as_const(*this).split(name));
}

TensorFile to_tensor_file(const Seq2SeqData& data) {
  TensorFile file;
  file.metadata[kVocabularyKey] = data.train.vocabulary.listed();
  for (const std::string_view split_name : kSplitNames) {
    const Seq2SeqSplit& split = data.split(split_name);
    const std::string name(split_name);
    file.arrays[name + ".input"] = Array::of({split.size(), split.input_length}, split.inputs);
    file.arrays[name + ".target"] = Array::of({split.size(), split.target_length}, split.targets);
  }
  return file;
}

Seq2SeqData seq2seq_data_from(const TensorFile& file, const std::string& name,
                              const Vocabulary* expected) {
  Seq2SeqData data;
  try {
    const Vocabulary vocabulary = read_vocabulary(file, expected);
    for (const std::string_view split_name : kSplitNames) {
      Seq2SeqSplit& split = data.split(split_name);
      split = read_split(file, std::string(split_name), vocabulary);
      if (split.input_length != data.train.input_length ||
          split.target_length != data.train.target_length)
        throw Error("'{}' has inputs of {} and targets of {} tokens, but 'train' of {} and {}",
                    split_name, split.input_length, split.target_length, data.train.input_length,
                    data.train.target_length);
    }
  } catch (const Error& error) {
    throw error.within(name);
  }
  return data;
}

}  // namespace headway
