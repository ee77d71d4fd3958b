#include "lib/data/import/sample_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {

std::string shown_name(const std::string& name) {
  return fit(printable(name), 40);
}

std::int32_t NameList::number(const std::string& name, std::int64_t sample) {
  const auto [found, is_new] = numbers_.emplace(name, static_cast<std::int32_t>(names_.size()));
  if (is_new) {
    names_.push_back(name);
    firsts_.push_back(sample);
  }
  return found->second;
}

const SampleTable::Section& SampleTable::section_of(std::int64_t sample) const {
  return *(std::ranges::upper_bound(sections, sample, {}, &Section::first) - 1);
}

std::string SampleTable::place(std::int64_t sample) const {
  return record_place(section_of(sample), records[static_cast<std::size_t>(sample)]);
}

std::string record_place(const SampleTable::Section& section, std::int64_t record) {
  if (section.format != ImportFormat::kJson) return fmt::format("{}:{}", section.file, record);
  const std::string list =
      section.list.empty() ? "" : fmt::format("'{}': ", shown_name(section.list));
  return fmt::format("{}: {}record {}", section.file, list, record);
}

void refuse_pair(const SampleTable& table, std::int64_t sample, const std::string& pair,
                 const std::string& key, std::size_t samples, const std::string& split) {
  throw Error(
      "{}: pair '{}': the key '{}' marks {}{}, but a pair is two: first the one without the "
      "difference, then the one with it",
      table.place(sample), shown_name(pair), shown_name(key), count_of(samples, "sample"),
      split.empty() ? "" : " in " + split);
}

}  // namespace headway
