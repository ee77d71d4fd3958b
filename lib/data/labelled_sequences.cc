#include "lib/data/labelled_sequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "lib/base/error.h"

namespace headway {
namespace {

// Describes a mistake in a row whose first `length` values are the sequence; "" if there is none.
std::string mistake_in_values(std::span<const std::int32_t> row, std::int64_t length,
                              std::int64_t range) {
  for (std::int64_t column = 0; column < static_cast<std::int64_t>(row.size()); ++column) {
    const std::int32_t value = row[static_cast<std::size_t>(column)];
    if (column >= length) {
      if (value == kNoValue) continue;
      return fmt::format("{} at column {}, after the end of the sequence", value, column);
    }
    if (value == kNoValue)
      return fmt::format("padding at column {}, but the sequence has {} values", column, length);
    if (value < 0 || value >= range)
      return fmt::format("{} at column {}, but values are 0..{}", value, column, range - 1);
  }
  return "";
}

// Reads PREFIX.lengths or PREFIX.labels: one number in lowest..highest for each row.
std::vector<std::int32_t> read_column(const TensorFile& file, const std::string& prefix,
                                      const std::string& what, std::int64_t rows,
                                      std::int64_t lowest, std::int64_t highest) {
  constexpr std::array<std::int64_t, 1> kColumn = {-1};
  const Array& array = file.at(prefix + "." + what, ElementType::kI32, kColumn);
  if (array.count() != rows)
    throw Error("'{0}.values' has {1} rows, but '{0}.{2}' has {3}", prefix, rows, what,
                array.count());
  std::vector<std::int32_t> numbers = array.ints();
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    if (numbers[row] < lowest || numbers[row] > highest)
      throw Error("array '{}.{}': row {}: {}, but {} are {}..{}", prefix, what, row, numbers[row],
                  what, lowest, highest);
  }
  return numbers;
}

}  // namespace

void append_sequence(std::span<const std::int32_t> sequence, std::int32_t label,
                     LabelledSequences& sequences) {
  const auto width = static_cast<std::size_t>(sequences.width);
  assert(sequence.size() <= width);
  sequences.labels.push_back(label);
  sequences.lengths.push_back(static_cast<std::int32_t>(sequence.size()));
  sequences.values.insert(sequences.values.end(), sequence.begin(), sequence.end());
  sequences.values.resize(sequences.labels.size() * width, kNoValue);
}

std::string_view sequence_bytes(std::span<const std::int32_t> sequence) {
  return {reinterpret_cast<const char*>(sequence.data()), sequence.size_bytes()};
}

SequenceSet set_of(const LabelledSequences& sequences) {
  SequenceSet set;
  set.reserve(sequences.labels.size());
  for (std::int64_t i = 0; i < sequences.size(); ++i)
    set.insert(sequence_bytes(sequences.sequence(i)));
  return set;
}

void add_to(TensorFile& file, const std::string& prefix, const LabelledSequences& sequences) {
  const auto add = [&](const char* what, std::vector<std::int64_t> shape,
                       const std::vector<std::int32_t>& numbers) {
    file.arrays[prefix + what] = Array::of(std::move(shape), numbers);
  };
  add(".values", {sequences.size(), sequences.width}, sequences.values);
  add(".lengths", {sequences.size()}, sequences.lengths);
  add(".labels", {sequences.size()}, sequences.labels);
}

LabelledSequences sequences_from(const TensorFile& file, const std::string& prefix,
                                 std::int64_t range) {
  constexpr std::array<std::int64_t, 2> kMatrix = {-1, -1};
  const Array& values = file.at(prefix + ".values", ElementType::kI32, kMatrix);
  if (values.count() == 0)
    throw Error("array '{}.values': {} holds no sequences", prefix, shape_text(values.shape));
  const std::int64_t rows = values.shape[0];
  LabelledSequences sequences;
  sequences.width = values.shape[1];
  sequences.lengths = read_column(file, prefix, "lengths", rows, 1, sequences.width);
  sequences.labels = read_column(file, prefix, "labels", rows, 0, 1);
  sequences.values = values.ints();
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::string mistake =
        mistake_in_values(std::span(sequences.values)
                              .subspan(static_cast<std::size_t>(row * sequences.width),
                                       static_cast<std::size_t>(sequences.width)),
                          sequences.lengths[static_cast<std::size_t>(row)], range);
    if (!mistake.empty()) throw Error("array '{}.values': row {}: {}", prefix, row, mistake);
  }
  return sequences;
}

}  // namespace headway
