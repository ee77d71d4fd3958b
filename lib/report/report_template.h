// The text of a report as people write it: Markdown with directives in double braces. Parsing knows
// no artifacts; every directive carries its place, so that a mistake is reported with its line.
//
//     # How attention heads carry the carry          the first heading is the report's title
//     {{ figure importance "Accuracy lost without each head." }}
//     {{ table heads columns=label,drop percent=share rows=10 "Heads by importance." }}
//     {{ explorer maps }}                            attention, to look at
//     {{ findings pruning tolerances=prune }}        sentences computed from artifacts
//     {{ text failures }}                            a text artifact; Markdown, where it is called
//     .md
//     {{ all }}                                      every input that nothing above showed
//     {{ let critical = where(heads, drop > 10) }}
//     {{ if count(critical) > 0 }} … {{ else if elsewhere }} … {{ else }} … {{ end }}
//     {{ for head in critical separator=", " last=" and " }} {{ head.label }} {{ end }}
//     At {{ evaluation.greedy percent }} of {{ evaluation.problems count }} problems …
//     … the best head is {{ cell heads label }}, trained for {{ parameter train.epochs }} epochs.
//
// Figures, tables and the like stand alone on their line; values stand in the text; let, if and for
// may do either. A line that has nothing but let, if, else, for and end leaves no line behind.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/source_location.h"
#include "lib/report/expression.h"

namespace headway {

struct Directive {
  std::string name;                            // "figure"
  std::vector<std::string> words;              // without a key: {"importance"}
  std::map<std::string, std::string> options;  // "columns" -> "label,drop"
  std::string caption;                         // what stood in quotes
  SourceLocation location;
};

struct TemplatePart;

// One branch of `if`, or the body of `for`.
struct TemplateBranch {
  SourceLocation location;
  Expression condition;  // of `else`: true
  std::vector<TemplatePart> parts;
};

// A piece of the template. Which members count depends on its kind.
struct TemplatePart {
  enum class Kind {
    kText,       // text: Markdown
    kValue,      // expression, format
    kDirective,  // directive
    kLet,        // name, expression
    kIf,         // branches, of which the first that is true is shown
    kFor         // name, expression, separator, last, and one branch
  };
  Kind kind = Kind::kText;
  SourceLocation location;
  std::string text;  // of a value and a loop: its source, for messages
  Directive directive;
  bool is_alone = false;  // a directive: on its line
  std::string name;
  Expression expression;
  std::string format;
  std::string separator;  // between the items of a loop
  std::string last;       // between the last two
  std::vector<TemplateBranch> branches;
};

struct ReportTemplate {
  std::string title;  // the first heading of level 1, which is not in the parts; may be empty
  std::vector<TemplatePart> parts;
};

// An Error with all mistakes, each with file and line: braces or quotes that do not close,
// expressions that cannot be read, `if` without `end`. Inside code (backquotes, fences) braces are
// text.
ReportTemplate parse_template(std::string_view text, const std::string& file);

// What {{ NAME … }} may begin with; everything else is an expression.
const std::vector<std::string>& directive_names();

}  // namespace headway
