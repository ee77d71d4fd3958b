// Parses a report template: Markdown with directives in double braces. Needs no artifacts. Every
// directive has its location, for messages.
//
//     # What each attention head does                the first heading is the report's title
//     {{ figure importance "Accuracy lost without each head." }}
//     {{ table heads columns=label,drop percent=share rows=10 "Heads by importance." }}
//     {{ explorer maps }}                            the attention explorer
//     {{ text failures }}                            a text artifact; .md files are Markdown
//     {{ all }}                                      every input not shown above
//     {{ let critical = where(heads, drop > 10) }}
//     {{ if count(critical) > 0 }} … {{ else if elsewhere }} … {{ else }} … {{ end }}
//     {{ for head in critical separator=", " last=" and " }} {{ head.label }} {{ end }}
//     At {{ evaluation.greedy percent }} of {{ evaluation.problems count }} problems …
//     … the best head is {{ cell heads label }}, trained for {{ parameter train.epochs }} epochs.
//
// Figures, tables and the like need a line of their own; values are part of the text; let, if and
// for can be either. A line with only let, if, else, for and end disappears.
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
  std::vector<std::string> words;              // words without a key: {"importance"}
  std::map<std::string, std::string> options;  // "columns" -> "label,drop"
  std::string caption;                         // the text in quotes
  SourceLocation location;
};

struct TemplatePart;

// One branch of `if`, or the body of `for`.
struct TemplateBranch {
  SourceLocation location;
  Expression condition;  // true for `else`
  std::vector<TemplatePart> parts;
};

// A part of the template. Its kind determines which members are used.
struct TemplatePart {
  enum class Kind {
    kText,       // text: Markdown
    kValue,      // expression, format
    kDirective,  // directive
    kLet,        // name, expression
    kIf,         // branches; the first whose condition is true is shown
    kFor         // name, expression, separator, last, and one branch
  };
  Kind kind = Kind::kText;
  SourceLocation location;
  std::string text;  // for a value or loop: its source, for messages
  Directive directive;
  bool is_alone = false;  // a directive on its own line
  std::string name;
  Expression expression;
  std::string format;
  std::string separator;  // between the items of a loop
  std::string last;       // between the last two
  std::vector<TemplateBranch> branches;
};

struct ReportTemplate {
  std::string title;  // the first level-1 heading, which is not in `parts`; may be empty
  std::vector<TemplatePart> parts;
};

// Throws Error with all mistakes, each with file and line: unclosed braces or quotes, invalid
// expressions, `if` without `end`. In code (backquotes, fences) braces are text.
ReportTemplate parse_template(std::string_view text, const std::string& file);

// What a directive takes.
struct DirectiveRule {
  std::string name;
  std::size_t least_words, most_words;
  bool names_input;  // the first word is an input
  std::vector<std::string> options;
  bool is_block;  // needs a line of its own; others are values
  bool takes_caption;
};

// Templates of older versions may have {{ findings KIND … }}.
inline constexpr const char* kNoFindings =
    "there is no directive 'findings' any more: findings are written in the template, with let, "
    "if, for and expressions (README, \"Reports\")";

// Null if the word starts no directive in {{ … }}: then it is an expression.
const DirectiveRule* find_directive(std::string_view name);
std::vector<std::string> directive_names();

}  // namespace headway
