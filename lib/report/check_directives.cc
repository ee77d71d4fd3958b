#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lib/base/text.h"
#include "lib/report/directives.h"
#include "lib/report/functions.h"
#include "lib/report/markdown_html.h"

namespace headway {
namespace {

bool is_whole_number(const std::string& text) {
  return !text.empty() && text.size() < 10 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string words_expected(const DirectiveRule& rule) {
  if (rule.most_words == 0) return "no words";
  if (rule.least_words < rule.most_words)
    return fmt::format("{} or {} words", rule.least_words, rule.most_words);
  return rule.least_words == 1 ? "1 word" : fmt::format("{} words", rule.least_words);
}

// The value of a condition if it does not depend on artifacts; nullopt if it does.
using KnownTruth = std::optional<bool>;

class TemplateChecker {
 public:
  TemplateChecker(const std::vector<std::string>& inputs, Diagnostics& diagnostics)
      : inputs_(inputs), diagnostics_(diagnostics) {}

  void check(const std::vector<TemplatePart>& parts) {
    const std::size_t known = variables_.size();
    for (const TemplatePart& part : parts) check(part);
    variables_.resize(known);
  }

  // Checks the formulas of the collected text.
  void check_text() {
    try {
      render_markdown(text_, "");
    } catch (const Error& error) {
      std::string_view message = error.what();
      if (message.starts_with(": ")) message.remove_prefix(2);
      diagnostics_.add(text_location_, std::string(message));
    }
    text_.clear();
  }

 private:
  void check(const TemplatePart& part) {
    location_ = part.location;
    switch (part.kind) {
      case TemplatePart::Kind::kText:
        if (text_.empty()) text_location_ = part.location;
        text_ += part.text;
        return;
      case TemplatePart::Kind::kValue:
        text_ += "0";  // a placeholder
        return check_value(part);
      case TemplatePart::Kind::kDirective:
        return check_directive(part);
      case TemplatePart::Kind::kLet:
        check_expression(part.expression);
        variables_.push_back(part.name);
        return;
      case TemplatePart::Kind::kIf:
        return check_if(part);
      case TemplatePart::Kind::kFor:
        return check_for(part);
    }
  }

  void check_directive(const TemplatePart& part) {
    const Directive& directive = part.directive;
    const DirectiveRule& rule = *find_directive(directive.name);
    check_words(directive, rule, part.is_alone);
    if (!part.is_alone) {
      text_ += "0";
      return;
    }
    check_text();
    if (loops_ > 0) complain(fmt::format("'{}' cannot stand in a loop", directive.name));
  }

  void check_words(const Directive& directive, const DirectiveRule& rule, bool is_alone) {
    const auto wrong = [&](const std::string& what) {
      complain(fmt::format("'{}' {}", printable(directive.name), what));
    };
    const std::vector<std::string>& words = directive.words;
    if (rule.is_block && !is_alone) return wrong("stands alone on its line, not inside a text");
    if (words.size() < rule.least_words || words.size() > rule.most_words)
      return wrong(fmt::format("expects {}, got {}", words_expected(rule), words.size()));
    if (!rule.takes_caption && !directive.caption.empty()) wrong("takes no caption");
    if (rule.names_input && !contains(inputs_, words[0]))
      wrong(fmt::format("names the input '{}', which is not connected; connected: {}{}",
                        printable(words[0]), inputs_.empty() ? "none" : join(inputs_, ", "),
                        did_you_mean(words[0], inputs_)));
    if (words.size() > 2) check_format(directive.name, words[2]);
    for (const auto& [option, value] : directive.options) {
      if (!contains(rule.options, option))
        wrong(fmt::format("has no option '{}'{}", printable(option),
                          did_you_mean(option, rule.options)));
      else if ((option == "rows" || option == "row" || option == "headings") &&
               !is_whole_number(value))
        wrong(fmt::format("{} expects a whole number, got '{}'", option, printable(value)));
    }
  }

  void check_format(const std::string& what, const std::string& format) {
    if (!format.empty() && !contains(value_formats(), format))
      complain(fmt::format("'{}' has no format '{}'; there are {}", printable(what),
                           printable(format), join(value_formats(), ", ")));
  }

  void check_value(const TemplatePart& part) {
    const Expression& value = part.expression;
    if (value.is_name() && !contains(variables_, value.text) && contains(inputs_, value.text))
      return complain(
          fmt::format("'{}' is an input: which of its values? write INPUT.NAME", value.text));
    const std::size_t mistakes = mistakes_;
    check_expression(value);
    if (mistakes == mistakes_) check_format(part.text, part.format);
  }

  // Branches that cannot be shown with these inputs may name missing ones.
  void check_if(const TemplatePart& part) {
    for (const TemplateBranch& branch : part.branches) {
      location_ = branch.location;
      const KnownTruth truth = check_condition(branch.condition);
      if (truth != false) check(branch.parts);
      if (truth == true) return;
    }
  }

  void check_for(const TemplatePart& part) {
    check_expression(part.expression);
    variables_.push_back(part.name);
    ++loops_;
    check(part.branches[0].parts);
    --loops_;
    variables_.pop_back();
  }

  // A bare name tests for an input, like has(). In arguments evaluated for each row, any name may
  // be a column.
  KnownTruth check_condition(const Expression& condition) {
    if (rows_ > 0 || !condition.is_name()) return check_expression(condition);
    return contains(variables_, condition.text) ? KnownTruth() : contains(inputs_, condition.text);
  }

  KnownTruth check_expression(const Expression& expression) {
    switch (expression.kind) {
      case Expression::Kind::kBoolean:
        return expression.number != 0;
      case Expression::Kind::kPath:
        check_path(expression);
        return std::nullopt;
      case Expression::Kind::kCall:
        return check_call(expression);
      case Expression::Kind::kOperator:
        return check_operator(expression);
      default:
        for (const Expression& operand : expression.operands) check_expression(operand);
        return std::nullopt;
    }
  }

  void check_path(const Expression& path) {
    const std::string_view name = path.first_name();
    if (rows_ > 0 || contains(variables_, name) || contains(inputs_, name)) return;
    if (path.text == "findings") return complain(kNoFindings);
    std::vector<std::string> names = inputs_;
    names.insert(names.end(), variables_.begin(), variables_.end());
    for (const std::string& directive : directive_names()) names.push_back(directive);
    const bool is_difference = name.find('-') != std::string_view::npos;
    complain(fmt::format("'{}' is neither a directive nor a value of a connected input{}{}",
                         printable(path.text), did_you_mean(name, names),
                         is_difference ? " (a difference has spaces around its minus)" : ""));
  }

  KnownTruth check_call(const Expression& call) {
    const std::vector<Expression>& operands = call.operands;
    std::vector<std::size_t> row_arguments;
    try {
      row_arguments = function_of(call).row_arguments;
    } catch (const Error& error) {
      complain(error.what());
      return std::nullopt;
    }
    if (call.text == "has") {
      if (!operands[0].is_name()) complain("has() takes the name of an input");
      return contains(inputs_, operands[0].text);
    }
    if (call.text == "choose") {
      const KnownTruth truth = check_condition(operands[0]);
      if (truth != false) check_expression(operands[1]);  // else it is never evaluated
      if (truth != true) check_expression(operands[2]);
      return std::nullopt;
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const bool in_row = std::ranges::find(row_arguments, i) != row_arguments.end();
      rows_ += in_row;
      check_expression(operands[i]);
      rows_ -= in_row;
    }
    return std::nullopt;
  }

  KnownTruth check_operator(const Expression& expression) {
    const std::string& sign = expression.text;
    const std::vector<Expression>& operands = expression.operands;
    if (sign != "not" && sign != "and" && sign != "or") {
      for (const Expression& operand : operands) check_expression(operand);
      return std::nullopt;
    }
    const KnownTruth left = check_condition(operands[0]);
    if (sign == "not") return left ? KnownTruth(!*left) : left;
    const bool decisive = sign == "or";  // one such operand decides
    if (left == decisive) return left;   // the second is not evaluated
    const KnownTruth right = check_condition(operands[1]);
    return left || right == decisive ? right : KnownTruth();
  }

  void complain(const std::string& what) {
    diagnostics_.add(location_, what);
    ++mistakes_;
  }

  const std::vector<std::string>& inputs_;
  Diagnostics& diagnostics_;
  std::size_t mistakes_ = 0;
  std::vector<std::string> variables_;
  std::size_t rows_ = 0;   // number of enclosing arguments that are evaluated for each row
  std::size_t loops_ = 0;  // number of enclosing loops
  SourceLocation location_;
  std::string text_;  // not checked yet
  SourceLocation text_location_;
};

}  // namespace

void check_directives(const ReportTemplate& text, const std::vector<std::string>& inputs,
                      Diagnostics& diagnostics) {
  TemplateChecker checker(inputs, diagnostics);
  checker.check(text.parts);
  checker.check_text();
}

}  // namespace headway
