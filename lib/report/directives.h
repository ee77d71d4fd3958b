// Executes the directives of a template: turns artifacts into pieces of the report.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/report/pieces.h"
#include "lib/report/provenance.h"
#include "lib/report/report_template.h"
#include "lib/report/sources.h"

namespace headway {

// Reports all mistakes that can be found without artifacts: unknown names, words, options and
// inputs.
void check_directives(const ReportTemplate& text, const std::vector<std::string>& inputs,
                      Diagnostics& diagnostics);

class Directives {
 public:
  // Both arguments must outlive the object.
  Directives(const Sources& sources, const Provenance& provenance)
      : sources_(sources), provenance_(provenance) {}

  // Both throw Error, without a location, if an artifact is not as expected.
  std::vector<Piece> block(const Directive& directive);
  std::string inline_text(const Directive& directive);  // Markdown
  // All values of "train.model.d_model" in a matrix, or of a pipeline parameter, each once.
  std::string parameter(const std::string& path) const;

  // Pictures used by the Markdown form: path ("figures/importance.svg") and contents.
  const std::vector<std::pair<std::string, std::string>>& pictures() const { return pictures_; }

 private:
  std::vector<Piece> figures(const Directive& directive, const std::string& name);
  Piece figure(const SourceFile& file, const std::string& name, const std::string& caption);
  std::vector<Piece> tables(const Directive& directive, const std::string& name);
  Piece table(const SourceFile& file, const std::string& name, TableInReport options);
  Piece text(const std::string& name);
  Piece explorer(const SourceFile& file, const std::string& name);
  std::vector<Piece> all(std::size_t heading_level);
  std::vector<Piece> unshown(const std::vector<std::string>& names);
  std::vector<Piece> by_stage(const std::vector<std::string>& names, std::size_t heading_level);
  Piece piece_for(const std::string& name, const SourceFile& file);
  Piece piece_or_problem(const std::string& name, const SourceFile& file);
  std::optional<Piece> metrics_of_items(const std::string& name);
  std::string cell(const Directive& directive);
  std::string new_id(const std::string& what, const std::string& name, const std::string& item);
  Piece origin(const SourceFile& file) const;

  const Sources& sources_;
  const Provenance& provenance_;
  std::set<std::string> used_;  // inputs already shown
  std::set<std::string> ids_;
  std::vector<std::pair<std::string, std::string>> pictures_;
};

}  // namespace headway
