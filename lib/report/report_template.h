// The text of a report as people write it: Markdown with directives in double braces. A block
// directive stands alone on its line, an inline one in the text. Parsing knows no artifacts; every
// directive carries its place, so that a mistake is told with its line.
//
//     # How attention heads carry the carry          the first heading is the report's title
//     {{ figure importance "Accuracy lost without each head." }}
//     {{ table heads columns=label,drop percent=share rows=10 "Heads by importance." }}
//     {{ explorer maps }}                            attention, to look at
//     {{ findings pruning tolerances=prune }}        sentences computed from artifacts
//     {{ text failures }}                            a text artifact; Markdown, where it is called
//     .md
//     {{ all }}                                      every input that nothing above showed
//     {{ if elsewhere }} … {{ else }} … {{ end }}    only where that input is connected
//     At {{ evaluation.greedy percent }} of {{ evaluation.problems count }} problems …
//     … the best head is {{ cell heads label }}, trained for {{ parameter train.epochs }} epochs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/source_location.h"

namespace headway {

struct Directive {
  std::string name;                            // "figure"
  std::vector<std::string> words;              // without a key: {"importance"}
  std::map<std::string, std::string> options;  // "columns" -> "label,drop"
  std::string caption;                         // what stood in quotes
  SourceLocation location;
};

// A stretch of the template: Markdown, with the directives inside its text; or one block directive.
struct TemplatePart {
  SourceLocation location;  // where it begins
  // Of Markdown: pieces of text, and between them the inline directives: one less.
  std::vector<std::string> texts;
  std::vector<Directive> inlines;
  bool is_block = false;
  Directive block;
};

struct ReportTemplate {
  std::string title;  // the first heading of level 1, which is not in the parts; may be empty
  std::vector<TemplatePart> parts;
};

// An Error with all mistakes, each with file and line: braces that do not close, quotes that do
// not, `if` without `end`. Inside code (backquotes, fences) braces are text. A value is part of its
// paragraph also where it is alone on a line.
ReportTemplate parse_template(std::string_view text, const std::string& file);

// Walks over the parts and knows which `if` and `else` leave out.
class Conditions {
 public:
  explicit Conditions(const std::vector<std::string>& inputs) : inputs_(inputs) {}

  // Of each part in turn. Never of `if`, `else` and `end` themselves.
  bool is_shown(const TemplatePart& part);

 private:
  const std::vector<std::string>& inputs_;  // that are connected
  std::vector<bool> open_;                  // of each `if` that is not closed: whether it shows
};

}  // namespace headway
