#include "lib/data/import/record_reader.h"

#include <fmt/format.h>

#include <charconv>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/data/dataset.h"

namespace headway {
namespace {

bool is_nothing(const Json& value) {
  return value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty());
}

constexpr std::size_t kLongestCharacter = 4;  // bytes
constexpr std::string_view kSpaces = " \t\r\n";
constexpr const char* kGroups = "groups";
constexpr const char* kPair = "pair";

// Text, or a number or truth value as people write it; nothing for lists, maps and null.
std::optional<std::string> name_text(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number() || json.is_boolean()) return json.dump();
  return std::nullopt;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = text.find_first_not_of(kSpaces); begin != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(kSpaces, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kSpaces, end);
  }
  return words;
}

[[noreturn]] void refuse_missing(const Json& record, const std::string& name,
                                 const std::string& meaning = "") {
  constexpr std::size_t kMostNames = 20;
  std::vector<std::string> names;
  for (const auto& [field, value] : record.items()) {
    if (names.size() < kMostNames) names.push_back(shown_name(field));
  }
  throw Error("'{}' is missing{}{}", shown_name(name), meaning,
              names.empty()
                  ? ""
                  : fmt::format("; there {} {}{}", names.size() == 1 ? "is" : "are",
                                join(names, ", "), record.size() > kMostNames ? ", …" : ""));
}

[[noreturn]] void fail_too_long(const std::string& name, std::size_t tokens) {
  throw Error("'{}' has {} tokens; at most {} can be", name, tokens, kLongestSequence);
}

// The tokens of a text, if they are not too many.
std::vector<std::string> tokens_of(const std::string& text, TextTokens tokens,
                                   const std::string& name) {
  constexpr auto kMost = static_cast<std::size_t>(kLongestSequence);
  if (tokens == TextTokens::kRefuse)
    throw Error("'{}' is text; 'tokens: characters' or 'tokens: words' says how to split it", name);
  if (tokens == TextTokens::kWords) {
    std::vector<std::string> words = words_of(text);
    if (words.size() > kMost) fail_too_long(name, words.size());
    return words;
  }
  if (text.size() > kMost * kLongestCharacter) fail_too_long(name, display_width(text));
  std::vector<std::string> characters = characters_of(text);
  if (characters.size() > kMost) fail_too_long(name, characters.size());
  return characters;
}

}  // namespace

void RecordReader::add(const Json& record, std::int64_t number) {
  try {
    read(record);
  } catch (const Error& error) {
    throw error.within(record_place(table_.sections.back(), number));
  }
  table_.records.push_back(number);
}

void RecordReader::read(const Json& record) {
  if (!record.is_object())
    throw Error("should be a map with '{}', but is {}", name_of_field(RecordField::kInput),
                excerpt(record, 40));
  sample_ = table_.size();
  check_fields(record, fields_of(record));
  read_tokens(record, RecordField::kInput, table_.inputs);
  if (has(RecordField::kTarget)) read_tokens(record, RecordField::kTarget, table_.targets);
  if (has(RecordField::kLabel)) read_label(record);
  if (has(RecordField::kSplit)) read_split(record);
  read_roles(record, RecordField::kInputRoles, table_.inputs, table_.input_roles);
  read_roles(record, RecordField::kTargetRoles, table_.targets, table_.target_roles);
  constexpr std::int64_t kLast = kLongestSequence - 1;
  read_numbers(record, RecordField::kInputPositions, kLast, table_.inputs, table_.input_positions);
  read_numbers(record, RecordField::kTargetPositions, kLast, table_.targets,
               table_.target_positions);
  read_numbers(record, RecordField::kAsked, 1, table_.inputs, table_.asked);
  check_asked();
  read_groups(record);
  read_pairs(record);
}

// Such a sample could not be answered wrongly.
void RecordReader::check_asked() const {
  if (!has(RecordField::kAsked) || has(RecordField::kTarget) || has(RecordField::kLabel)) return;
  const std::span<const std::int32_t> asked = table_.asked.row(sample_);
  if (std::ranges::find(asked, 1) == asked.end())
    throw Error("'{}' asks for no token", shown_name(name_of_field(RecordField::kAsked)));
}

const std::string& RecordReader::name_of_field(RecordField field) const {
  return options_.names[static_cast<std::size_t>(field)];
}

const Json& RecordReader::at(const Json& record, RecordField field) const {
  return record.at(name_of_field(field));
}

RecordReader::Fields RecordReader::fields_of(const Json& record) const {
  Fields fields;
  for (std::size_t i = 0; i < fields.size(); ++i) fields[i] = record.contains(options_.names[i]);
  return fields;
}

void RecordReader::check_fields(const Json& record, Fields fields) {
  const bool is_first = sample_ == 0;
  if (is_first) fields_ = fields;
  check_unknown(record);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string& name = options_.names[i];
    const auto field = static_cast<RecordField>(i);
    const bool must_be = field == RecordField::kInput || name != name_of(field);
    if (must_be && !fields[i]) refuse_missing(record, name);
    if (fields[i] == fields_[i]) continue;
    throw Error("'{}' is {}, but {} has {}; all records must have the same fields",
                shown_name(name), fields[i] ? "here" : "missing", table_.place(0),
                fields[i] ? "none" : "it");
  }
  if (!is_first) return;
  const auto need = [&](RecordField one, RecordField other) {
    if (has(one) && !has(other))
      throw Error("'{}' is here, but no '{}'", shown_name(name_of_field(one)),
                  shown_name(name_of_field(other)));
  };
  if (has(RecordField::kTarget) && has(RecordField::kLabel))
    throw Error(
        "the target '{}' and the label '{}' are both here; a record has one of them, or "
        "neither",
        shown_name(name_of_field(RecordField::kTarget)),
        shown_name(name_of_field(RecordField::kLabel)));
  need(RecordField::kTargetRoles, RecordField::kTarget);
  need(RecordField::kTargetPositions, RecordField::kTarget);
  if (!has(RecordField::kTarget)) return;
  need(RecordField::kTargetPositions, RecordField::kInputPositions);
  need(RecordField::kInputPositions, RecordField::kTargetPositions);
}

// A field that means nothing is left alone, but "lable" would make it data without labels.
void RecordReader::check_unknown(const Json& record) {
  const auto is_in = [](const auto& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  for (const auto& [name, value] : record.items()) {
    if (name == kGroups || name == kPair || is_in(options_.names, name) ||
        is_in(options_.groups, name) || is_in(options_.pairs, name) || unknown_.contains(name))
      continue;
    std::vector<std::string> absent = {kGroups, kPair};
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (!fields_[i]) absent.push_back(options_.names[i]);
    }
    const std::string hint = did_you_mean(name, absent);
    if (!hint.empty()) throw Error("unknown field '{}'{}", shown_name(name), hint);
    unknown_.insert(name);
  }
}

std::vector<Json> RecordReader::items(const Json& record, RecordField field) const {
  const Json& list = at(record, field);
  std::vector<Json> all;
  if (table_.sections.back().format == ImportFormat::kCsv) {
    for (std::string& item : split(list.get_ref<const std::string&>(), ' '))
      all.emplace_back(std::move(item));
  } else if (!list.is_array()) {
    throw Error("'{}' should be a list, but is {}", shown_name(name_of_field(field)),
                excerpt(list, 40));
  } else {
    all = list.get<std::vector<Json>>();
  }
  return all;
}

void RecordReader::read_tokens(const Json& record, RecordField field, RaggedRows& rows) {
  const Json& json = at(record, field);
  const std::string name = shown_name(name_of_field(field));
  if (json.is_string()) {
    for (const std::string& token :
         tokens_of(json.get_ref<const std::string&>(), options_.tokens, name))
      rows.push(table_.words.number(token, sample_));
  } else if (json.is_array()) {
    if (std::ssize(json) > kLongestSequence) fail_too_long(name, json.size());
    for (const Json& item : json) {
      if (!(item.is_string() && !item.get_ref<const std::string&>().empty()) &&
          !item.is_number_integer())
        throw Error("'{}': {} is no token (text or a whole number)", name, excerpt(item, 40));
      rows.push(table_.words.number(*name_text(item), sample_));
    }
  } else {
    throw Error("'{}' should be text or a list of tokens, but is {}", name, excerpt(json, 40));
  }
  rows.end_row();
  // An empty cell may be an answer that is missing; an empty text or list was written down.
  const bool may_be_empty =
      field == RecordField::kTarget && table_.sections.back().format != ImportFormat::kCsv;
  if (rows.size(sample_) == 0 && !may_be_empty) throw Error("'{}' is empty", name);
}

void RecordReader::read_roles(const Json& record, RecordField field, const RaggedRows& tokens,
                              RaggedRows& rows) {
  if (!has(field)) return;
  const std::string name = shown_name(name_of_field(field));
  const std::vector<Json> roles = items(record, field);
  if (std::ssize(roles) != tokens.size(sample_))
    throw Error("'{}' has {} for {}", name, count_of(roles.size(), "role"),
                count_of(static_cast<std::size_t>(tokens.size(sample_)), "token"));
  for (const Json& role : roles) {
    if (!role.is_string() && !role.is_null())
      throw Error("'{}': {} is no role (text, or null for none)", name, excerpt(role, 40));
    if (is_nothing(role))
      rows.push(kNoRole);
    else
      rows.push(table_.roles.number(role.get<std::string>(), sample_));
  }
  rows.end_row();
}

void RecordReader::read_numbers(const Json& record, RecordField field, std::int64_t most,
                                const RaggedRows& tokens, RaggedRows& rows) {
  if (!has(field)) return;
  const std::string name = shown_name(name_of_field(field));
  const std::vector<Json> numbers = items(record, field);
  if (std::ssize(numbers) != tokens.size(sample_))
    throw Error("'{}' has {} for {}", name, count_of(numbers.size(), "number"),
                count_of(static_cast<std::size_t>(tokens.size(sample_)), "token"));
  for (const Json& item : numbers) {
    std::optional<std::int32_t> number = whole_number<std::int32_t>(item);
    if (item.is_string() && table_.sections.back().format == ImportFormat::kCsv) {
      const auto& text = item.get_ref<const std::string&>();
      std::int32_t parsed = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
      if (error == std::errc() && end == text.data() + text.size()) number = parsed;
    }
    if (!number || *number < 0 || *number > most)
      throw Error("'{}': {} is none of the numbers 0..{}", name, excerpt(item, 40), most);
    rows.push(*number);
  }
  rows.end_row();
}

void RecordReader::read_label(const Json& record) {
  const Json& label = at(record, RecordField::kLabel);
  const std::optional<std::string> text = name_text(label);
  if (!text || text->empty() || label.is_number_float())
    throw Error("'{}': {} is no class (text or a whole number)",
                shown_name(name_of_field(RecordField::kLabel)), excerpt(label, 40));
  table_.labels.push_back(table_.classes.number(*text, sample_));
}

void RecordReader::read_split(const Json& record) {
  const Json& split = at(record, RecordField::kSplit);
  const std::string name = shown_name(name_of_field(RecordField::kSplit));
  if (!split.is_string() || !is_split_name(split.get_ref<const std::string&>()))
    throw Error("'{}': {} cannot be the name of a split (letters, numbers, '_', '-' and '.')", name,
                excerpt(split, 40));
  const auto& text = split.get_ref<const std::string&>();
  const std::string& expected = table_.sections.back().split;
  if (!expected.empty() && text != expected)
    throw Error("'{}' says '{}', but the record stands among those of '{}'", name, shown_name(text),
                expected);
  table_.split_of.push_back(table_.splits.number(text, sample_));
}

void RecordReader::read_groups(const Json& record) {
  std::size_t found = 0;
  const auto add = [&](const std::string& group, const Json& value) {
    const std::optional<std::string> text = name_text(value);
    if (!text || text->empty())
      throw Error("group '{}': {} is no value (text or a number)", shown_name(group),
                  excerpt(value, 40));
    if (sample_ > 0 && !table_.groups.contains(group))
      throw Error("group '{}' is here, but not in {}", shown_name(group), table_.place(0));
    SampleTable::GroupColumn& column = table_.groups[group];
    if (std::ssize(column.numbers) > sample_)
      throw Error("group '{}' is both a field and in '{}'", shown_name(group), kGroups);
    column.numbers.push_back(column.values.number(*text, sample_));
    ++found;
  };
  if (const auto groups = record.find(kGroups); groups != record.end()) {
    if (!groups->is_object())
      throw Error(
          "'{}' should be a map from groups to values, but is {}; groups that are fields "
          "of their own, as in CSV, are listed in the parameter 'groups'",
          kGroups, excerpt(*groups, 40));
    for (const auto& [group, value] : groups->items()) add(group, value);
  }
  for (const std::string& group : options_.groups) {
    const auto value = record.find(group);
    if (value == record.end()) refuse_missing(record, group, ", which is a group");
    add(group, *value);
  }
  if (found == table_.groups.size()) return;
  for (const auto& [group, column] : table_.groups) {
    if (std::ssize(column.numbers) == sample_)
      throw Error("group '{}' is missing, but {} has it", shown_name(group), table_.place(0));
  }
}

// A sample that is in no pair has no key.
void RecordReader::read_pairs(const Json& record) {
  const auto add = [&](const std::string& pair, const Json& key) {
    if (is_nothing(key)) return;
    const std::optional<std::string> text = name_text(key);
    if (!text)
      throw Error("pair '{}': {} is no key (text or a number)", shown_name(pair), excerpt(key, 40));
    if (pair.empty()) throw Error("a pair has no name");
    SampleTable::PairColumn& column = table_.pairs[pair];
    if (!column.samples.empty() && column.samples.back().first == sample_)
      throw Error("pair '{}' is both a field and in '{}'", shown_name(pair), kPair);
    column.samples.emplace_back(sample_, column.keys.number(*text, sample_));
  };
  if (const auto pairs = record.find(kPair); pairs != record.end() && !pairs->is_null()) {
    if (!pairs->is_object())
      throw Error(
          "'{}' should be a map from names to keys, but is {}; keys that are fields of "
          "their own, as in CSV, are listed in the parameter 'pairs'",
          kPair, excerpt(*pairs, 40));
    for (const auto& [pair, key] : pairs->items()) add(pair, key);
  }
  for (const std::string& pair : options_.pairs) {
    const auto key = record.find(pair);
    if (key == record.end()) refuse_missing(record, pair, ", which is a pair's key");
    add(pair, *key);
  }
}

}  // namespace headway
