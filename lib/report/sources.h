// The artifacts of a report, by input name. Reads and parses them; independent of the store.
#pragma once

#include <map>
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

struct SourceTable {
  std::string item;
  Table table;
};

struct SourceMetrics {
  std::string item;
  Json metrics;
};

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

  // Parse the file, or all files of a list. Throw Error that names the artifact.
  Table table(std::string_view name) const;
  std::vector<SourceTable> tables(std::string_view name) const;
  Json metrics(std::string_view name) const;
  std::vector<SourceMetrics> all_metrics(std::string_view name) const;
  TensorFile tensors(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::vector<SourceFile>>> sources_;
};

}  // namespace headway
