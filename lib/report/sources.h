// The artifacts of a report, by input name, and how they are read. Independent of the store.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/json.h"
#include "lib/numerics/safetensors.h"
#include "lib/numerics/table.h"

namespace headway {

struct SourceFile {
  std::string item;    // of a list's member; empty for a single artifact
  std::string origin;  // "ablate@zero.heads": stage and output, for messages and captions
  std::string name;    // "heads.csv": the extension determines the kind
  std::string bytes;
};

std::string extension_of(const SourceFile& file);  // ".csv"; "" if there is none

// Throws Error with `expected` if the file has another extension: a parser's message would be
// harder to understand. Accepts names without an extension.
void expect_kind(const SourceFile& file, std::initializer_list<std::string_view> extensions,
                 std::string_view expected);

// Parse the file. Throw Error that names the artifact.
Table table_of(const SourceFile& file);
Json metrics_of(const SourceFile& file);
TensorFile tensors_of(const SourceFile& file);

// The value at a path such as "accuracy.swaps.256" or "digits.0" (indices start at 0). Keys may
// contain dots. Null if there is none.
const Json* find_metric(const Json& metrics, std::string_view path);

// The number at the path. Throws Error that begins with `name` and lists the numbers if there is
// none.
double metric_at(const Json& metrics, const std::string& path, const std::string& name);

// The value on one line, as in YAML: texts without quotes.
std::string plain_text(const Json& value);

// All values that are not maps or lists, and empty maps and lists, with their dotted paths.
std::vector<std::pair<std::string, const Json*>> leaves_of(const Json& json);

// The leaves of metrics as a table with the columns metric and value.
Table metrics_table(const SourceFile& file);

class Sources {
 public:
  // Adds files; appends if the name exists.
  void add(const std::string& name, std::vector<SourceFile> files);

  bool has(std::string_view name) const;
  std::vector<std::string> names() const;  // in order
  // Throws Error that lists the known names if this one is unknown.
  const std::vector<SourceFile>& files(std::string_view name) const;
  // The only file of that name. Throws Error if there are several.
  const SourceFile& file(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::vector<SourceFile>>> sources_;
};

}  // namespace headway
