// What the directives of a template mean: artifacts in, pieces of the report out.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/report/piece.h"
#include "lib/report/provenance.h"
#include "lib/report/report_template.h"
#include "lib/report/sources.h"

namespace headway {

// Everything that can be wrong with directives before there are artifacts: their names, words and
// options, the inputs they name, kinds of findings and their roles.
void check_directives(const ReportTemplate& text, const std::vector<std::string>& inputs,
                      Diagnostics& diagnostics);

using TokenNamer = std::function<std::string(int)>;

class Directives {
 public:
  // All must outlive it.
  Directives(const Sources& sources, const Provenance& provenance, const TokenNamer& token)
      : sources_(sources), provenance_(provenance), token_(token) {}

  // Each throws Error, with the directive's place, where an artifact is not what is expected.
  std::vector<Piece> block(const Directive& directive);
  std::string inline_text(const Directive& directive);  // Markdown
  // "train.model.d_model", of all items of a matrix, each value once; or a parameter of the file.
  std::string parameter(const std::string& path) const;

  // Pictures that the Markdown form refers to: "figures/importance.svg" and its text.
  const std::vector<std::pair<std::string, std::string>>& pictures() const { return pictures_; }

 private:
  std::vector<Piece> figures(const Directive& directive, const std::string& name);
  Piece figure(const SourceFile& file, const std::string& name, const std::string& caption);
  std::vector<Piece> tables(const Directive& directive, const std::string& name);
  Piece text(const std::string& name);
  Piece explorer(const std::string& name);
  Piece findings(const Directive& directive);
  std::vector<Piece> all();
  Piece shown(const std::string& name, const SourceFile& file);
  std::string cell(const Directive& directive);
  std::string new_id(const std::string& what, const std::string& name, const std::string& item);
  Piece origin(const SourceFile& file) const;

  const Sources& sources_;
  const Provenance& provenance_;
  const TokenNamer& token_;
  std::set<std::string> used_;  // inputs that were shown
  std::set<std::string> ids_;
  std::vector<std::pair<std::string, std::string>> pictures_;
};

}  // namespace headway
