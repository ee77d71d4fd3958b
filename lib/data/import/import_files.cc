#include "lib/data/import/import_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/json_parts.h"
#include "lib/base/text.h"
#include "lib/data/dataset.h"
#include "lib/data/legend_json.h"
#include "lib/numerics/table.h"

namespace headway {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr const char* kSamples = "samples";
constexpr std::string_view kEndings[] = {".json", ".jsonl", ".ndjson", ".csv"};
constexpr ImportFormat kFormats[] = {ImportFormat::kJson, ImportFormat::kJsonLines,
                                     ImportFormat::kJsonLines, ImportFormat::kCsv};

// Calls `each` with every line and its number, from 1.
void each_line(std::string_view text,
               const std::function<void(std::int64_t, std::string_view)>& each) {
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    each(number, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Of a file without a parser that would notice.
void check_text(const std::string& name, std::string_view text) {
  if (is_utf8(text) && text.find('\0') == std::string_view::npos) return;
  each_line(text, [&](std::int64_t number, std::string_view line) {
    if (line.find('\0') != std::string_view::npos)
      throw Error("{}:{}: a zero byte: this is not text", name, number);
    if (!is_utf8(line)) throw Error("{}:{}: this is not UTF-8", name, number);
  });
}

class FileReader {
 public:
  FileReader(const ImportFile& file, RecordReader& reader, SampleTable& table, ImportHeader& header)
      : file_(file), reader_(reader), table_(table), header_(header) {}

  void read(const std::string& text) {
    const std::int64_t before = table_.size();
    switch (file_.format) {
      case ImportFormat::kJson:
        read_json(text);
        break;
      case ImportFormat::kJsonLines:
        read_json_lines(text);
        break;
      case ImportFormat::kCsv:
        read_rows(text);
        break;
    }
    if (table_.size() == before) fail("it has no records");
    keep_header();
  }

 private:
  void begin_section(const std::string& list, const std::string& split) {
    table_.sections.push_back({file_.name, file_.format, list, split, table_.size()});
  }

  void read_json(const std::string& text) {
    if (const std::string mistake = json_mistake(text); !mistake.empty())
      fail("not JSON: {}", mistake);
    read_json_parts(text, JsonParts::kElements, [&](JsonPart&& part) { take(std::move(part)); });
  }

  template <class... Values>
  [[noreturn]] void fail(fmt::format_string<Values...> format, Values&&... values) const {
    throw Error("{}: {}", file_.name, fmt::format(format, std::forward<Values>(values)...));
  }

  // A record, or a part of the header.
  void take(JsonPart&& part) {
    const bool is_header = std::ranges::find(kLegendParts, part.key) != std::end(kLegendParts);
    const bool is_empty_list = part.value.is_array() && part.value.empty() && !part.index;
    if (!is_header && !part.index && !is_empty_list) refuse(part);
    if (is_header) {
      if (!part.repeated.empty())
        fail("'{}': '{}' is twice in one map", part.key, shown_name(part.repeated));
      Json& here = own_header_[part.key];
      if (part.index)
        here.push_back(std::move(part.value));
      else
        here = std::move(part.value);
      return;
    }
    if (is_empty_list && part.repeats_at_root)
      fail("'{}' is twice in one map", shown_name(part.repeated));
    if (!list_ || *list_ != part.key) begin_list(part.key);
    if (is_empty_list) return;
    check_repeated(part, static_cast<std::int64_t>(*part.index));
    reader_.add(part.value, static_cast<std::int64_t>(*part.index));
  }

  [[noreturn]] void refuse(const JsonPart& part) const {
    if (part.key.empty())
      fail("should be a list of records, or a map with such lists, but is {}",
           excerpt(part.value, 40));
    fail("'{}' should be a list of records, but is {}", shown_name(part.key),
         excerpt(part.value, 40));
  }

  void begin_list(const std::string& key) {
    const bool names_split = !key.empty() && key != kSamples;
    if (list_ && (*list_ == kSamples || key == kSamples))
      fail("has '{}' and '{}': records are either in 'samples' or in a list for each split",
           shown_name(*list_), shown_name(key));
    if (names_split && !is_split_name(key))
      fail("'{}' cannot be the name of a split (letters, numbers, '_', '-' and '.')",
           shown_name(key));
    if (names_split && !file_.split.empty() && key != file_.split)
      fail("has samples for '{}', but the file is for '{}'", key, file_.split);
    list_ = key;
    begin_section(key, names_split ? key : file_.split);
  }

  void check_repeated(const JsonPart& part, std::int64_t record) const {
    if (part.repeats_at_root) fail("'{}' is twice in one map", shown_name(part.repeated));
    if (!part.repeated.empty())
      throw Error("{}: '{}' is twice in one map", record_place(table_.sections.back(), record),
                  shown_name(part.repeated));
  }

  void read_json_lines(std::string_view text) {
    check_text(file_.name, text);
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    begin_section("", file_.split);
    each_line(text, [&](std::int64_t number, std::string_view line) {
      if (trim(line).empty()) return;
      if (std::string mistake = json_mistake(line); !mistake.empty()) {
        constexpr std::string_view kLine = "line 1, ";  // it is the file's line `number`
        if (mistake.starts_with(kLine)) mistake.erase(0, kLine.size());
        throw Error("{}:{}: not JSON: {}", file_.name, number, mistake);
      }
      read_json_parts(line, JsonParts::kWhole, [&](JsonPart&& part) {
        check_repeated(part, number);
        reader_.add(part.value, number);
      });
    });
  }

  void read_rows(std::string_view text) {
    check_text(file_.name, text);
    begin_section("", file_.split);
    std::vector<std::string> columns;
    read_csv(text, file_.name, [&](int line, std::vector<std::string>&& cells) {
      if (columns.empty()) {
        columns = std::move(cells);
        return;
      }
      Json record = Json::object();
      for (std::size_t i = 0; i < cells.size(); ++i) record[columns[i]] = std::move(cells[i]);
      reader_.add(record, line);
    });
  }

  void keep_header() {
    if (own_header_.empty()) return;
    for (const auto& [part, json] : own_header_.items()) {
      if (header_.parts.contains(part) && header_.parts[part] != json)
        fail("'{}' is not as in {}", part, header_.file);
      header_.parts[part] = json;
    }
    header_.file = file_.name;
  }

  const ImportFile& file_;
  RecordReader& reader_;
  SampleTable& table_;
  ImportHeader& header_;
  Json own_header_ = Json::object();
  std::optional<std::string> list_;  // the key of the records that come; "": the root is a list
};

}  // namespace

std::optional<ImportFormat> format_of(const std::string& file) {
  std::string name = file;
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (std::size_t i = 0; i < std::size(kEndings); ++i) {
    if (name.ends_with(kEndings[i])) return kFormats[i];
  }
  return std::nullopt;
}

void read_import_file(const ImportFile& file, RecordReader& reader, SampleTable& table,
                      ImportHeader& header) {
  FileReader(file, reader, table, header).read(file.read());
}

}  // namespace headway
