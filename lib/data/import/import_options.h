// How files of other programs become a dataset.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lib/base/enum_names.h"

namespace headway {

enum class ImportFormat { kJson, kJsonLines, kCsv };
template <>
inline constexpr std::string_view kNamesOf<ImportFormat>[] = {"json", "jsonl", "csv"};

// What the tokens of a text are. Lists of tokens are taken as they are.
enum class TextTokens {
  kRefuse,      // sequences must be lists: how to split a text is not for us to guess
  kCharacters,  // code points
  kWords,       // what stands between spaces, tabs and line ends
};
template <>
inline constexpr std::string_view kNamesOf<TextTokens>[] = {"lists", "characters", "words"};

// What to do with samples of train whose input is also in another split.
enum class Overlap {
  kRefuse,
  kReport,  // keep them, and count them in the metrics
  kDrop,    // remove them from train: the other splits stay comparable
};
template <>
inline constexpr std::string_view kNamesOf<Overlap>[] = {"refuse", "report", "drop"};

// The fields of a record that may have other names in a file. `groups` and `pair` have not: their
// maps name themselves.
enum class RecordField {
  kInput,
  kTarget,
  kLabel,
  kSplit,
  kInputRoles,
  kTargetRoles,
  kInputPositions,
  kTargetPositions,
  kAsked,
};
template <>
inline constexpr std::string_view kNamesOf<RecordField>[] = {
    "input",           "target",           "label", "split", "input_roles", "target_roles",
    "input_positions", "target_positions", "asked"};
using FieldNames = std::array<std::string, std::size(kNamesOf<RecordField>)>;

inline FieldNames own_field_names() {
  FieldNames names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kNamesOf<RecordField>[i];
  return names;
}

struct ImportOptions {
  TextTokens tokens = TextTokens::kRefuse;
  FieldNames names = own_field_names();  // a field with another name must be in every record
  std::vector<std::string> groups;       // fields that are groups, beside the map `groups`
  std::vector<std::string> pairs;        // fields that are keys of pairs, beside the map `pair`
  Overlap overlap = Overlap::kRefuse;
  // For one file that says nothing of splits: shares that are drawn for val and test.
  double val_share = 0.1;
  double test_share = 0.1;
  std::uint64_t seed = 641;
};

}  // namespace headway
