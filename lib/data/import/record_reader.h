// One record, as JSON, to one sample. The first record decides which fields there are: the others
// must have the same, so that nothing is guessed where one is missing.
#pragma once

#include <bitset>
#include <set>

#include "lib/base/json.h"
#include "lib/data/import/sample_table.h"

namespace headway {

class RecordReader {
 public:
  // Both must outlive the reader.
  RecordReader(const ImportOptions& options, SampleTable& table)
      : options_(options), table_(table) {}

  // Adds the record, number `number`, to the last section. Cells of CSV hold lists as texts with a
  // space between the items. Throws Error with the record's place; the table must not be used then.
  void add(const Json& record, std::int64_t number);
  // Names of fields that mean nothing here, and were left out.
  const std::set<std::string>& ignored() const { return unknown_; }

 private:
  using Fields = std::bitset<std::size(kNamesOf<RecordField>)>;

  void read(const Json& record);
  Fields fields_of(const Json& record) const;
  void check_fields(const Json& record, Fields fields);
  void check_unknown(const Json& record);
  const Json& at(const Json& record, RecordField field) const;
  const std::string& name_of_field(RecordField field) const;
  bool has(RecordField field) const { return fields_[static_cast<std::size_t>(field)]; }
  // The items of a field that is a list, or in CSV a text with spaces.
  std::vector<Json> items(const Json& record, RecordField field) const;
  void read_tokens(const Json& record, RecordField field, RaggedRows& rows);
  void read_roles(const Json& record, RecordField field, const RaggedRows& tokens,
                  RaggedRows& rows);
  void read_numbers(const Json& record, RecordField field, std::int64_t most,
                    const RaggedRows& tokens, RaggedRows& rows);
  void check_asked() const;
  void read_label(const Json& record);
  void read_split(const Json& record);
  void read_groups(const Json& record);
  void read_pairs(const Json& record);

  const ImportOptions& options_;
  SampleTable& table_;
  std::int64_t sample_ = 0;        // that is being read
  Fields fields_;                  // of every record
  std::set<std::string> unknown_;  // what ignored() gives
};

}  // namespace headway
