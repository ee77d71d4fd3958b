#include "lib/spec/printing.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/text.h"

namespace headway {
namespace {

const Output* find_output(const Value& name, const std::vector<Output>& outputs,
                          const std::string& subject, Diagnostics& diagnostics) {
  if (!name.text()) {
    diagnostics.add(name.location, fmt::format("{}: 'print' expects the name of an output, got {}",
                                               subject, name.describe()));
    return nullptr;
  }
  std::vector<std::string> known;
  for (const Output& output : outputs) {
    if (output.name == *name.text()) return &output;
    known.push_back(output.name);
  }
  diagnostics.add(name.location,
                  fmt::format("{}: 'print': no output '{}'{}", subject, printable(*name.text()),
                              did_you_mean(*name.text(), known)));
  return nullptr;
}

std::vector<std::string> read_columns(const Value& columns, const std::string& subject,
                                      Diagnostics& diagnostics) {
  std::vector<std::string> names;
  if (columns.is_null()) return names;  // `table:` alone
  const bool is_list = columns.list() && std::all_of(columns.list()->begin(), columns.list()->end(),
                                                     [](const Value& v) { return v.text(); });
  if (!is_list) {
    diagnostics.add(columns.location, fmt::format("{}: 'print' expects a list of columns, got {}",
                                                  subject, columns.describe()));
    return names;
  }
  for (const Value& column : *columns.list()) names.push_back(*column.text());
  return names;
}

}  // namespace

std::vector<Printing> parse_printings(const Value& print, const std::vector<Output>& outputs,
                                      const std::string& subject, Diagnostics& diagnostics) {
  std::vector<Printing> printings;
  const auto add = [&](const Value& name, std::vector<std::string> columns) {
    if (const Output* output = find_output(name, outputs, subject, diagnostics)) {
      printings.push_back({output->file, std::move(columns)});
    }
  };
  if (const ValueMap* map = print.map()) {
    for (const MapEntry& entry : *map) {
      add(Value{entry.key, entry.key_location}, read_columns(entry.value, subject, diagnostics));
    }
  } else if (const ValueList* list = print.list()) {
    for (const Value& name : *list) add(name, {});
  } else {
    add(print, {});
  }
  return printings;
}

}  // namespace headway
