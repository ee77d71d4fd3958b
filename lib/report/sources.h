// What a report is made from: artifacts by the names that the pipeline file gives them. Knows how
// to read them, and says which one is wrong where it cannot; does not know where they are kept.
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
  std::string item;    // of a list: what this member is called; empty where there is only one
  std::string origin;  // "ablate@zero.heads": stage and output, for messages and captions
  std::string name;    // "heads.csv": programs go by the extension
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
  // A name that is there already gets these files besides.
  void add(const std::string& name, std::vector<SourceFile> files);

  bool has(std::string_view name) const;
  std::vector<std::string> names() const;  // in order
  // An Error that lists the names there are where it is missing.
  const std::vector<SourceFile>& files(std::string_view name) const;
  // The only file of that name; an Error where there are several.
  const SourceFile& file(std::string_view name) const;

  // Read as what they are said to be. An Error names the artifact, and what is wrong with it.
  Table table(std::string_view name) const;
  std::vector<SourceTable> tables(std::string_view name) const;
  Json metrics(std::string_view name) const;
  std::vector<SourceMetrics> all_metrics(std::string_view name) const;
  TensorFile tensors(std::string_view name) const;

  // The same artifacts under other names: what a kind of findings calls its inputs.
  Sources renamed(const std::map<std::string, std::string>& new_name_to_old) const;

 private:
  std::vector<std::pair<std::string, std::vector<SourceFile>>> sources_;
};

}  // namespace headway
