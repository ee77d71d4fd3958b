#include "lib/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {
namespace {

template <class T>
std::span<const T> row_of(const std::vector<T>& rows, std::int64_t width, std::int64_t row) {
  if (rows.empty()) return {};
  return std::span(rows).subspan(static_cast<std::size_t>(row * width),
                                 static_cast<std::size_t>(width));
}

std::int64_t size_without(Token pad, std::span<const Token> row) {
  return std::find(row.begin(), row.end(), pad) - row.begin();
}

void copy_row(const std::vector<std::int32_t>& from, std::int64_t width, std::int64_t row,
              std::vector<std::int32_t>& to) {
  std::ranges::copy(row_of(from, width, row), std::back_inserter(to));
}

// Makes all rows longer, with fillers at their ends.
void widen(std::vector<std::int32_t>& rows, std::int64_t from, std::int64_t to,
           std::int32_t filler) {
  if (from == to || rows.empty()) return;
  std::vector<std::int32_t> wide;
  for (std::int64_t row = 0; row * from < std::ssize(rows); ++row) {
    copy_row(rows, from, row, wide);
    wide.resize(static_cast<std::size_t>((row + 1) * to), filler);
  }
  rows = std::move(wide);
}

}  // namespace

TargetKind Split::kind() const {
  if (!legend->classes.empty()) return TargetKind::kLabel;
  return target_length > 0 ? TargetKind::kSequence : TargetKind::kNone;
}

std::span<const Token> Split::input(std::int64_t sample) const {
  return row_of(inputs, input_length, sample);
}

std::span<const Token> Split::target(std::int64_t sample) const {
  return row_of(targets, target_length, sample);
}

std::int64_t Split::input_size(std::int64_t sample) const {
  return size_without(vocabulary().pad(), input(sample));
}

std::int64_t Split::target_size(std::int64_t sample) const {
  return size_without(vocabulary().pad(), target(sample));
}

bool Split::has_equal_lengths() const {
  const Token pad = vocabulary().pad();
  return std::ranges::find(inputs, pad) == inputs.end() &&
         std::ranges::find(targets, pad) == targets.end();
}

void Split::append(const Split& from, std::int64_t sample) {
  if (inputs.empty()) {
    *this = Split();
    legend = from.legend;
    groups.resize(from.groups.size());
  }
  const std::int64_t S = std::max(input_length, from.input_length);
  const std::int64_t T = std::max(target_length, from.target_length);
  const auto append_row = [&](std::vector<std::int32_t> Split::*rows, std::int32_t filler) {
    const bool of_targets =
        rows == &Split::targets || rows == &Split::target_roles || rows == &Split::target_positions;
    const auto width = [&](const Split& split) {
      return of_targets ? split.target_length : split.input_length;
    };
    widen(this->*rows, width(*this), of_targets ? T : S, filler);
    copy_row(from.*rows, width(from), sample, this->*rows);
    if (!(from.*rows).empty())
      (this->*rows)
          .insert((this->*rows).end(), static_cast<std::size_t>((of_targets ? T : S) - width(from)),
                  filler);
  };
  const Token pad = from.vocabulary().pad();
  append_row(&Split::inputs, pad);
  append_row(&Split::targets, pad);
  append_row(&Split::input_roles, kNoRole);
  append_row(&Split::target_roles, kNoRole);
  append_row(&Split::input_positions, 0);
  append_row(&Split::target_positions, 0);
  append_row(&Split::input_asked, 0);
  copy_row(from.labels, 1, sample, labels);
  for (std::size_t group = 0; group < groups.size(); ++group)
    copy_row(from.groups[group], 1, sample, groups[group]);
  input_length = S;
  target_length = T;
}

bool Split::operator==(const Split& other) const {
  const auto all = [](const Split& split) {
    return std::tie(*split.legend, split.input_length, split.target_length, split.inputs,
                    split.targets, split.labels, split.groups, split.input_roles,
                    split.target_roles, split.input_positions, split.target_positions,
                    split.input_asked, split.pairs);
  };
  return all(*this) == all(other);
}

std::string sample_text(const Split& split, std::int64_t sample) {
  const std::string input = split.vocabulary().spell(split.input(sample));
  switch (split.kind()) {
    case TargetKind::kSequence:
      return fmt::format("{} -> {}", input, split.vocabulary().spell(split.target(sample)));
    case TargetKind::kLabel: {
      const auto label = static_cast<std::size_t>(split.labels[static_cast<std::size_t>(sample)]);
      return fmt::format("{}: {}", split.legend->classes[label], input);
    }
    case TargetKind::kNone:
      break;
  }
  return input;
}

bool is_split_name(std::string_view name) {
  const std::vector<std::string> parts = split(name, '.');
  return has_only(name, "_-.") && std::ranges::none_of(parts, [](const std::string& part) {
           return part.empty() || part == "group" || part == "pairs";
         });
}

const Split& Dataset::split(std::string_view name) const {
  const auto found = splits.find(name);
  if (found != splits.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, split] : splits) names.push_back(known);
  throw Error("no split '{}'; there are {}", printable(name), join(names, ", "));
}

std::int64_t Dataset::longest_input() const {
  std::int64_t longest = 0;
  for (const auto& [name, split] : splits) longest = std::max(longest, split.input_length);
  return longest;
}

std::int64_t Dataset::longest_target() const {
  std::int64_t longest = 0;
  for (const auto& [name, split] : splits) longest = std::max(longest, split.target_length);
  return longest;
}

bool Dataset::operator==(const Dataset& other) const {
  return *legend == *other.legend && splits == other.splits && generator == other.generator;
}

std::string_view sequence_bytes(std::span<const Token> sequence) {
  return {reinterpret_cast<const char*>(sequence.data()), sequence.size_bytes()};
}

SequenceSet inputs_of(const Split& split) {
  SequenceSet inputs;
  inputs.reserve(static_cast<std::size_t>(split.size()));
  for (std::int64_t i = 0; i < split.size(); ++i)
    inputs.insert(
        sequence_bytes(split.input(i).first(static_cast<std::size_t>(split.input_size(i)))));
  return inputs;
}

}  // namespace headway
