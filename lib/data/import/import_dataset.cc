#include "lib/data/import/import_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/data/import/splits.h"
#include "lib/data/legend_json.h"
#include "lib/numerics/table.h"

namespace headway {
namespace {

constexpr std::int64_t kMostPadded = 1'000'000'000;   // tokens of a split with padding: 4 GB
constexpr std::size_t kMostGroupValues = 1000;        // results are shown by value
constexpr std::size_t kMostLegendBytes = 40'000'000;  // as JSON, for which a file has 100 MB

// ------------------------------------------------------------------- legend ---

// Numbers in front, by value; then texts, by their bytes.
std::vector<std::string> sorted_names(const std::vector<std::string>& names) {
  struct Name {
    bool is_text = false;
    double value = 0;
    const std::string* text = nullptr;

    auto key() const { return std::tie(is_text, value, *text); }
  };
  std::vector<Name> order;
  for (const std::string& name : names) {
    const bool may_be_number = is_digit(name[0]) || name[0] == '-';  // "inf" and "nan" are texts
    const std::optional<double> value = may_be_number ? parse_number(name) : std::nullopt;
    const bool is_number = value && std::isfinite(*value);
    order.push_back({!is_number, is_number ? *value : 0, &name});
  }
  std::ranges::sort(order, [](const Name& a, const Name& b) { return a.key() < b.key(); });
  return texts_of(order, [](const Name& name) { return *name.text; });
}

// A list of a header, in which numbers stand for their texts, as in records. Anything else stays
// and will be refused.
Json as_texts(Json list) {
  if (!list.is_array()) return list;
  for (Json& item : list) {
    if (item.is_number() || item.is_boolean()) item = item.dump();
  }
  return list;
}

// Turns what was read into a legend. Each list is that of the header or made from the names that
// were met, and names that were met must be in it.
class LegendMaker {
 public:
  LegendMaker(const SampleTable& table, const ImportHeader& header)
      : table_(table), header_(header) {}

  Legend make() {
    add_list("vocabulary", table_.words, true);
    if (!table_.labels.empty()) add_list("classes", table_.classes, true);
    add_list("roles", table_.roles, false);
    const Json declared = header_.parts.value("groups", Json::object());
    for (const auto& [group, column] : table_.groups) {
      if (column.values.names().size() > kMostGroupValues)
        throw Error(
            "{}: group '{}' has over {} values; groups are for values that many samples "
            "share",
            table_.place(column.values.first_sample(kMostGroupValues)), shown_name(group),
            kMostGroupValues);
      Json& values = parts_["groups"][group];
      if (declared.is_object() && declared.contains(group)) values = as_texts(declared[group]);
      if (values.is_null()) values = sorted_names(column.values.names());
    }
    for (const auto& [part, json] : header_.parts.items()) check_used(part, json);
    if (header_.parts.contains("relations")) parts_["relations"] = header_.parts["relations"];
    Legend legend = read();
    check_met("vocabulary", legend.vocabulary.words(), table_.words);
    check_met("classes", legend.classes, table_.classes);
    check_met("roles", legend.roles, table_.roles);
    for (const SampleGroup& group : legend.groups)
      check_met("groups", group.values, table_.groups.at(group.name).values);
    return legend;
  }

 private:
  void add_list(const char* part, const NameList& met, bool is_sorted) {
    if (header_.parts.contains(part)) {
      parts_[part] = as_texts(header_.parts[part]);
    } else {
      parts_[part] = is_sorted ? sorted_names(met.names()) : met.names();
    }
  }

  void check_used(const std::string& part, const Json& json) const {
    if (part == "classes" && table_.labels.empty())
      throw Error("{}: there are 'classes', but records have no label", header_.file);
    if (part != "groups" || !json.is_object()) return;
    for (const auto& [group, values] : json.items()) {
      if (!table_.groups.contains(group))
        throw Error("{}: 'groups' has '{}', but records have no such group", header_.file,
                    shown_name(group));
    }
  }

  // What is wrong here is wrong in the header, if there is one: the rest was checked.
  Legend read() const {
    try {
      if (const std::size_t bytes = parts_.dump().size(); bytes > kMostLegendBytes)
        throw Error("the different words, and all other names, take {}; at most {} can be",
                    format_bytes(bytes), format_bytes(kMostLegendBytes));
      return legend_from(parts_);
    } catch (const Error& error) {
      throw error.within(header_.file.empty() ? table_.sections.front().file : header_.file);
    }
  }

  void check_met(const std::string& part, const std::vector<std::string>& names,
                 const NameList& met) const {
    if (!header_.parts.contains(part)) return;
    const std::set<std::string_view> known(names.begin(), names.end());
    for (std::size_t i = 0; i < met.names().size(); ++i) {
      if (!known.contains(met.names()[i]))
        throw Error("{}: '{}' is not in '{}' of {}", table_.place(met.first_sample(i)),
                    shown_name(met.names()[i]), part, header_.file);
    }
  }

  const SampleTable& table_;
  const ImportHeader& header_;
  Json parts_ = Json::object();
};

// The legend's number of each name that was met.
std::vector<std::int32_t> numbers_in(const std::vector<std::string>& names, const NameList& met) {
  std::unordered_map<std::string_view, std::int32_t> numbers;
  for (const std::string& name : names)
    numbers.emplace(name, static_cast<std::int32_t>(numbers.size()));
  std::vector<std::int32_t> found;
  for (const std::string& name : met.names()) found.push_back(numbers.at(name));
  return found;
}

// ------------------------------------------------------------------- splits ---

class SplitMaker {
 public:
  SplitMaker(const SampleTable& table, std::shared_ptr<const Legend> legend)
      : table_(table),
        legend_(std::move(legend)),
        words_(numbers_in(legend_->vocabulary.words(), table.words)),
        classes_(numbers_in(legend_->classes, table.classes)),
        roles_(numbers_in(legend_->roles, table.roles)) {
    for (const SampleGroup& group : legend_->groups)
      groups_.push_back(numbers_in(group.values, table.groups.at(group.name).values));
    if (table.targets.empty()) return;
    const std::int64_t first = table.targets.size(0);
    for (std::int64_t sample = 0; sample < table.size(); ++sample)
      has_end_ |= table.targets.size(sample) != first;
    if (!has_end_ && first == 0)
      throw Error("{}: every target is empty", table.sections.front().file);
  }

  Split make(const std::string& name, const std::vector<std::int64_t>& samples) const {
    Split split;
    split.legend = legend_;
    split.input_length = longest(table_.inputs, name, samples);
    if (!table_.targets.empty())
      split.target_length = longest(table_.targets, name, samples) + has_end_;
    const Token pad = legend_->vocabulary.pad();
    split.inputs = rows(table_.inputs, samples, split.input_length, pad, &words_);
    split.input_roles = rows(table_.input_roles, samples, split.input_length, kNoRole, &roles_);
    split.input_positions = rows(table_.input_positions, samples, split.input_length, 0);
    split.input_asked = rows(table_.asked, samples, split.input_length, 0);
    split.targets = rows(table_.targets, samples, split.target_length, pad, &words_);
    split.target_roles = rows(table_.target_roles, samples, split.target_length, kNoRole, &roles_);
    split.target_positions = rows(table_.target_positions, samples, split.target_length, 0);
    if (has_end_) add_ends(samples, split);
    split.labels = column(table_.labels, samples, classes_);
    for (std::size_t group = 0; group < groups_.size(); ++group)
      split.groups.push_back(
          column(table_.groups.at(legend_->groups[group].name).numbers, samples, groups_[group]));
    return split;
  }

 private:
  std::int64_t longest(const RaggedRows& of, const std::string& name,
                       const std::vector<std::int64_t>& samples) const {
    const auto size = [&](std::int64_t sample) { return of.size(sample); };
    const std::int64_t sample = *std::ranges::max_element(samples, {}, size);
    if (size(sample) * std::ssize(samples) > kMostPadded)
      throw Error(
          "{}: with {} tokens, this is the longest row of {}; {} rows of that length do "
          "not fit into memory (at most {} tokens can be)",
          table_.place(sample), size(sample), name, samples.size(), kMostPadded);
    return size(sample);
  }

  // With padding; `numbers` are those of names in the legend.
  static std::vector<std::int32_t> rows(const RaggedRows& from,
                                        const std::vector<std::int64_t>& samples,
                                        std::int64_t width, std::int32_t padding,
                                        const std::vector<std::int32_t>* numbers = nullptr) {
    if (from.empty()) return {};
    std::vector<std::int32_t> all(samples.size() * as_index(width), padding);
    auto begin = all.begin();
    for (const std::int64_t sample : samples) {
      std::ranges::transform(from.row(sample), begin, [&](std::int32_t number) {
        return numbers && number >= 0 ? (*numbers)[as_index(number)] : number;
      });
      begin += width;
    }
    return all;
  }

  static std::vector<std::int32_t> column(const std::vector<std::int32_t>& from,
                                          const std::vector<std::int64_t>& samples,
                                          const std::vector<std::int32_t>& numbers) {
    std::vector<std::int32_t> all;
    if (from.empty()) return all;
    all.reserve(samples.size());
    for (const std::int64_t sample : samples)
      all.push_back(numbers[as_index(from[as_index(sample)])]);
    return all;
  }

  // The end marker stands one position behind the last word.
  void add_ends(const std::vector<std::int64_t>& samples, Split& split) const {
    for (std::size_t row = 0; row < samples.size(); ++row) {
      const std::size_t begin = row * as_index(split.target_length);
      const std::size_t end = begin + as_index(table_.targets.size(samples[row]));
      split.targets[end] = legend_->vocabulary.end();
      if (split.target_positions.empty()) continue;
      const std::int32_t before = end > begin ? split.target_positions[end - 1] : -1;
      split.target_positions[end] =
          std::min(before + 1, static_cast<std::int32_t>(kLongestSequence - 1));
    }
  }

  const SampleTable& table_;
  std::shared_ptr<const Legend> legend_;
  std::vector<std::int32_t> words_, classes_, roles_;
  std::vector<std::vector<std::int32_t>> groups_;
  bool has_end_ = false;  // targets differ in length
};

// A pair is two samples of a split with the same key, in their order in the data. If one was
// dropped, the pair is gone.
void add_pairs(const SampleTable& table, const SplitChoice& choice,
               const std::vector<std::int32_t>& rows, Dataset& data) {
  struct Member {
    std::int32_t split = 0;
    std::int32_t key = 0;
    std::int64_t sample = 0;

    auto operator<=>(const Member&) const = default;
  };
  for (const auto& [name, column] : table.pairs) {
    std::vector<Member> members;
    for (const auto& [sample, key] : column.samples)
      members.push_back(
          {std::max(0, choice.of[as_index(sample)]), key, sample});  // dropped from train
    std::ranges::sort(members);
    for (auto begin = members.begin(); begin != members.end();) {
      const auto end = std::find_if(begin, members.end(), [&](const Member& member) {
        return std::tie(member.split, member.key) != std::tie(begin->split, begin->key);
      });
      const auto first = as_index(begin->sample);
      if (end - begin != 2)
        refuse_pair(table, begin->sample, name, column.keys.names()[as_index(begin->key)],
                    as_index(end - begin), choice.names[as_index(begin->split)]);
      const auto second = as_index((begin + 1)->sample);
      if (std::ranges::equal(table.inputs.row(begin->sample),
                             table.inputs.row((begin + 1)->sample)))
        throw Error("{}: pair '{}': it has the same input as {}, so nothing is different",
                    table.place((begin + 1)->sample), shown_name(name), table.place(begin->sample));
      if (choice.of[first] >= 0 && choice.of[second] >= 0)
        data.splits.at(choice.names[as_index(begin->split)])
            .pairs[name]
            .push_back({rows[first], rows[second]});
      begin = end;
    }
  }
}

}  // namespace

ImportedDataset import_dataset(const std::vector<ImportFile>& files, const ImportOptions& options) {
  SampleTable table;
  ImportHeader header;
  RecordReader reader(options, table);
  for (const ImportFile& file : files) read_import_file(file, reader, table, header);
  if (table.size() > kMostSamples)
    throw Error("{}: {} records; at most {} can be", files.front().name, table.size(),
                kMostSamples);
  const auto legend = std::make_shared<const Legend>(LegendMaker(table, header).make());
  const SplitChoice choice = choose_splits(table, options);
  std::vector<std::vector<std::int64_t>> samples(choice.names.size());
  std::vector<std::int32_t> rows(choice.of.size(), -1);  // of each sample, in its split
  for (std::size_t sample = 0; sample < choice.of.size(); ++sample) {
    if (choice.of[sample] < 0) continue;
    std::vector<std::int64_t>& own = samples[as_index(choice.of[sample])];
    rows[sample] = static_cast<std::int32_t>(own.size());
    own.push_back(static_cast<std::int64_t>(sample));
  }
  ImportedDataset imported{{legend, {}, {}}, choice.dropped, reader.ignored()};
  const SplitMaker maker(table, legend);
  for (std::size_t split = 0; split < samples.size(); ++split)
    imported.data.splits[choice.names[split]] = maker.make(choice.names[split], samples[split]);
  add_pairs(table, choice, rows, imported.data);
  return imported;
}

}  // namespace headway
