// Datasets to safetensors and back. A file may come from anywhere: every number is checked.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/data/dataset.h"
#include "lib/data/legend_json.h"

namespace headway {
namespace {

constexpr const char* kDatasetFormat = "headway dataset 1";
constexpr std::array<std::int64_t, 2> kMatrix = {-1, -1};

std::string shown_array(const std::string& name) {
  return fmt::format("array '{}'", fit(printable(name), 80));
}

// ------------------------------------------------------------------ writing ---

void add_metadata(const Dataset& dataset, TensorFile& file) {
  file.metadata["format"] = kDatasetFormat;
  const Json parts = to_json(*dataset.legend);
  for (const auto& [part, json] : parts.items()) file.metadata[part] = json.dump();
  if (!dataset.generator.is_null()) file.metadata["generator"] = dataset.generator.dump();
}

void add_split(const std::string& name, const Split& split, TensorFile& file) {
  const std::int64_t N = split.size(), S = split.input_length, T = split.target_length;
  const auto add = [&](const std::string& what, std::vector<std::int64_t> shape,
                       const std::vector<std::int32_t>& numbers) {
    if (!numbers.empty()) file.arrays[name + "." + what] = Array::of(std::move(shape), numbers);
  };
  add("input", {N, S}, split.inputs);
  add("target", {N, T}, split.targets);
  add("label", {N}, split.labels);
  for (std::size_t group = 0; group < split.groups.size(); ++group)
    add("group." + split.legend->groups[group].name, {N}, split.groups[group]);
  add("input_roles", {N, S}, split.input_roles);
  add("target_roles", {N, T}, split.target_roles);
  add("input_positions", {N, S}, split.input_positions);
  add("target_positions", {N, T}, split.target_positions);
  add("input_asked", {N, S}, split.input_asked);
  for (const auto& [what, pairs] : split.pairs) {
    std::vector<std::int32_t> numbers;
    for (const SamplePair& pair : pairs) numbers.insert(numbers.end(), pair.begin(), pair.end());
    add("pairs." + what, {std::ssize(pairs), 2}, numbers);
  }
}

// ------------------------------------------------------------------ reading ---

std::shared_ptr<const Legend> read_legend(const TensorFile& file) {
  Json parts = Json::object();
  for (const std::string_view part : kLegendParts)
    parts[std::string(part)] = file.json(std::string(part));
  try {
    return std::make_shared<const Legend>(legend_from(parts));
  } catch (const Error& error) {
    throw error.within("metadata");
  }
}

// Describes a mistake in a row of tokens; "" if there is none.
std::string mistake_in(std::span<const Token> row, bool is_target, const Vocabulary& vocabulary) {
  const auto ending = std::find_if(row.begin(), row.end(), [&](Token token) {
    return token == vocabulary.pad() || (is_target && token == vocabulary.end());
  });
  for (const Token token : std::span(row.begin(), ending)) {
    if (!vocabulary.is_word(token))
      return fmt::format("{} ({}) cannot stand in {}", token, printable(vocabulary.text(token)),
                         is_target ? "a target" : "an input");
  }
  if (ending == row.begin() && (!is_target || row.empty() || *ending == vocabulary.pad()))
    return "it is empty";
  const Token pad = vocabulary.pad();
  const auto padding = ending == row.end() || *ending == pad ? ending : ending + 1;
  const auto stray = std::find_if(padding, row.end(), [&](Token token) { return token != pad; });
  if (stray == row.end()) return "";
  return fmt::format("{} ({}) at column {}, after the end of the sequence", *stray,
                     printable(vocabulary.text(*stray)), stray - row.begin());
}

class SplitReader {
 public:
  // Removes from `unread` the arrays that it reads.
  SplitReader(const TensorFile& file, std::string name, std::shared_ptr<const Legend> legend,
              std::set<std::string>& unread)
      : file_(file), name_(std::move(name)), unread_(unread) {
    split_.legend = std::move(legend);
  }

  Split read() {
    const Legend& legend = *split_.legend;
    split_.inputs = tokens("input", false, split_.input_length);
    if (has("target")) {
      if (!legend.classes.empty())
        throw Error("{} is there, but the metadata has classes: samples have a label or a target",
                    shown("target"));
      split_.targets = tokens("target", true, split_.target_length);
      if (rows(split_.targets, split_.target_length) != split_.size())
        throw Error("{} has {} rows, but {} has {}", shown("input"), split_.size(), shown("target"),
                    rows(split_.targets, split_.target_length));
    }
    if (!legend.classes.empty())
      split_.labels = column("label", static_cast<std::int64_t>(legend.classes.size()));
    for (const SampleGroup& group : legend.groups)
      split_.groups.push_back(
          column("group." + group.name, static_cast<std::int64_t>(group.values.size())));
    const auto roles = static_cast<std::int64_t>(legend.roles.size());
    split_.input_roles = of_positions("input_roles", false, kNoRole, roles - 1);
    check_padding("input_roles", split_.inputs, split_.input_length, split_.input_roles, kNoRole);
    split_.target_roles = of_positions("target_roles", true, kNoRole, roles - 1);
    check_padding("target_roles", split_.targets, split_.target_length, split_.target_roles,
                  kNoRole);
    split_.input_positions = of_positions("input_positions", false, 0, kLongestSequence - 1);
    check_padding("input_positions", split_.inputs, split_.input_length, split_.input_positions, 0);
    split_.target_positions = of_positions("target_positions", true, 0, kLongestSequence - 1);
    check_padding("target_positions", split_.targets, split_.target_length, split_.target_positions,
                  0);
    split_.input_asked = of_positions("input_asked", false, 0, 1);
    check_padding("input_asked", split_.inputs, split_.input_length, split_.input_asked, 0);
    check_asked();
    read_pairs();
    return std::move(split_);
  }

 private:
  static std::int64_t rows(const std::vector<Token>& tokens, std::int64_t width) {
    return static_cast<std::int64_t>(tokens.size()) / width;
  }

  std::string array(const std::string& what) const { return name_ + "." + what; }
  std::string shown(const std::string& what) const { return shown_array(array(what)); }
  bool has(const std::string& what) const { return file_.arrays.contains(array(what)); }

  const Array& at(const std::string& what, std::span<const std::int64_t> shape) {
    unread_.erase(array(what));
    return file_.at(array(what), ElementType::kI32, shape);
  }

  std::vector<Token> tokens(const std::string& what, bool is_target, std::int64_t& width) {
    const Array& found = at(what, kMatrix);
    width = found.shape[1];
    if (found.count() == 0)
      throw Error("{}: {} holds no samples", shown(what), shape_text(found.shape));
    if (found.shape[0] > kMostSamples)
      throw Error("{}: {} rows; at most {} can be", shown(what), found.shape[0], kMostSamples);
    if (width > kLongestSequence)
      throw Error("{}: rows of {} tokens; at most {} can be", shown(what), width, kLongestSequence);
    std::vector<Token> all = found.ints();
    for (std::int64_t row = 0; row < found.shape[0]; ++row) {
      const std::string mistake =
          mistake_in(std::span(all).subspan(static_cast<std::size_t>(row * width),
                                            static_cast<std::size_t>(width)),
                     is_target, split_.vocabulary());
      if (!mistake.empty()) throw Error("{}: row {}: {}", shown(what), row, mistake);
    }
    return all;
  }

  void check_range(const std::string& what, const std::vector<std::int32_t>& numbers,
                   std::int64_t width, std::int64_t lowest, std::int64_t highest) const {
    const auto bad = std::ranges::find_if(
        numbers, [&](std::int32_t number) { return number < lowest || number > highest; });
    if (bad == numbers.end()) return;
    throw Error("{}: row {}: {}, but numbers here are {}..{}", shown(what),
                (bad - numbers.begin()) / width, *bad, lowest, highest);
  }

  // Padding has no role, is at 0, and is not asked for.
  void check_padding(const std::string& what, const std::vector<Token>& tokens, std::int64_t width,
                     const std::vector<std::int32_t>& numbers, std::int32_t expected) const {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] == expected || tokens[i] != split_.vocabulary().pad()) continue;
      const auto place = static_cast<std::int64_t>(i);
      throw Error("{}: row {}: {} at column {}, which is padding; it should be {}", shown(what),
                  place / width, numbers[i], place % width, expected);
    }
  }

  // A sample that asks for nothing could not be answered wrongly.
  void check_asked() const {
    if (split_.input_asked.empty() || split_.kind() != TargetKind::kNone) return;
    for (std::int64_t row = 0; row < split_.size(); ++row) {
      const auto first = split_.input_asked.begin() + row * split_.input_length;
      if (std::find(first, first + split_.input_length, 1) == first + split_.input_length)
        throw Error("{}: row {}: it asks for no token", shown("input_asked"), row);
    }
  }

  // One number below `count` for each sample.
  std::vector<std::int32_t> column(const std::string& what, std::int64_t count) {
    const std::array<std::int64_t, 1> shape = {split_.size()};
    std::vector<std::int32_t> numbers = at(what, shape).ints();
    check_range(what, numbers, 1, 0, count - 1);
    return numbers;
  }

  // One number for each position; empty if the file has no such array.
  std::vector<std::int32_t> of_positions(const std::string& what, bool of_targets,
                                         std::int64_t lowest, std::int64_t highest) {
    if (!has(what)) return {};
    const std::int64_t width = of_targets ? split_.target_length : split_.input_length;
    if (width == 0) throw Error("{}, but the split has no targets", shown(what));
    const std::array<std::int64_t, 2> shape = {split_.size(), width};
    std::vector<std::int32_t> numbers = at(what, shape).ints();
    check_range(what, numbers, width, lowest, highest);
    return numbers;
  }

  void read_pairs() {
    const std::string prefix = name_ + ".pairs.";
    for (auto found = file_.arrays.lower_bound(prefix);
         found != file_.arrays.end() && found->first.starts_with(prefix); ++found) {
      const std::string what = found->first.substr(prefix.size());
      if (what.empty()) throw Error("{}: the pairs have no name", shown("pairs."));
      constexpr std::array<std::int64_t, 2> kPairs = {-1, 2};
      const std::vector<std::int32_t> numbers = at("pairs." + what, kPairs).ints();
      check_range("pairs." + what, numbers, 2, 0, split_.size() - 1);
      std::vector<SamplePair>& pairs = split_.pairs[what];
      std::set<SamplePair> seen;
      for (std::size_t i = 0; i < numbers.size(); i += 2) {
        const SamplePair pair = {numbers[i], numbers[i + 1]};
        if (pair[0] == pair[1])
          throw Error("{}: row {}: sample {} is paired with itself", shown("pairs." + what), i / 2,
                      pair[0]);
        if (!seen.insert(pair).second)
          throw Error("{}: row {}: an earlier row has the same pair", shown("pairs." + what),
                      i / 2);
        pairs.push_back(pair);
      }
    }
  }

  const TensorFile& file_;
  std::string name_;
  std::set<std::string>& unread_;
  Split split_;
};

// All splits have the same kind of target, and declare the same.
void check_alike(const std::string& name, const Split& split, const Split& train) {
  const auto declared = [](const Split& of) {
    return std::tuple(of.kind(), of.input_roles.empty(), of.target_roles.empty(),
                      of.input_positions.empty(), of.target_positions.empty(),
                      of.input_asked.empty());
  };
  if (declared(split) != declared(train))
    throw Error("'{}' and 'train' must have the same arrays: targets, roles, positions, asked",
                name);
  if (split.kind() == TargetKind::kSequence &&
      split.input_positions.empty() != split.target_positions.empty())
    throw Error("'{}' has positions for its inputs or its targets, but not for both", name);
}

// If targets differ in length anywhere, each must end with the end marker: else an answer that goes
// on would count as right.
void check_ends(const Dataset& dataset) {
  std::optional<std::pair<std::int64_t, bool>> first;  // length without the end marker, has it
  bool differ = false;
  const auto row_of = [](const Split& split, std::int64_t sample) {
    const std::int64_t size = split.target_size(sample);
    const bool ends = size > 0 && split.target(sample)[static_cast<std::size_t>(size - 1)] ==
                                      split.vocabulary().end();
    return std::pair(size - ends, ends);
  };
  for (const auto& [name, split] : dataset.splits) {
    for (std::int64_t sample = 0; sample < split.size(); ++sample) {
      const auto row = row_of(split, sample);
      if (!first) first = row;
      differ |= row != *first;
    }
  }
  if (!differ) return;
  for (const auto& [name, split] : dataset.splits) {
    for (std::int64_t sample = 0; sample < split.size(); ++sample) {
      if (!row_of(split, sample).second)
        throw Error(
            "{}: row {}: it has no end marker, but targets differ in length or in having one",
            shown_array(name + ".target"), sample);
    }
  }
}

// The three that are always there, and those of which the file has inputs.
std::set<std::string> split_names(const TensorFile& file) {
  constexpr std::string_view kEnding = ".input";
  std::set<std::string> names(std::begin(kSplitNames), std::end(kSplitNames));
  for (const auto& [array, values] : file.arrays) {
    const std::string name = array.substr(0, array.size() - std::min(kEnding.size(), array.size()));
    if (array.ends_with(kEnding) && is_split_name(name)) names.insert(name);
  }
  return names;
}

}  // namespace

TensorFile to_tensor_file(const Dataset& dataset) {
  TensorFile file;
  add_metadata(dataset, file);
  for (const auto& [name, split] : dataset.splits) add_split(name, split, file);
  return file;
}

Dataset dataset_from(const TensorFile& file, const std::string& name) {
  try {
    const auto format = file.metadata.find("format");
    if (format == file.metadata.end() || format->second != kDatasetFormat)
      throw Error("not a dataset (its metadata should say format = '{}')", kDatasetFormat);
    Dataset dataset{read_legend(file), {}, file.json("generator")};
    std::set<std::string> unread;
    for (const auto& [array, values] : file.arrays) unread.insert(array);
    const std::set<std::string> splits = split_names(file);
    if (splits.size() > kMostSplits)
      throw Error("{} splits; at most {} can be", splits.size(), kMostSplits);
    for (const std::string& split : splits)
      dataset.splits[split] = SplitReader(file, split, dataset.legend, unread).read();
    for (const auto& [split, samples] : dataset.splits)
      check_alike(split, samples, dataset.split("train"));
    // An array that nothing reads is misspelt, or the metadata lacks its group or the classes.
    if (!unread.empty())
      throw Error("{} is not part of a dataset with this metadata", shown_array(*unread.begin()));
    if (dataset.kind() == TargetKind::kSequence) check_ends(dataset);
    return dataset;
  } catch (const Error& error) {
    throw error.within(name);
  }
}

}  // namespace headway
