#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lib/base/text.h"
#include "lib/report/directives.h"
#include "lib/report/functions.h"
#include "lib/report/markdown_html.h"

namespace headway {
namespace {

struct DirectiveRule {
  const char* name;
  std::size_t least_words;
  std::size_t most_words;
  bool names_input;  // the first word is an input
  std::vector<std::string> options;
  bool is_block;
  bool takes_caption;
};

const std::vector<DirectiveRule>& directive_rules() {
  static const std::vector<DirectiveRule> kRules = {
      {"figure", 1, 1, true, {}, true, true},
      {"table", 1, 1, true, {"columns", "percent", "rows"}, true, true},
      {"text", 1, 1, true, {}, true, false},
      {"explorer", 1, 1, true, {}, true, false},
      {"all", 0, 0, false, {"except"}, true, false},
      {"cell", 2, 3, true, {"row"}, false, false},
      {"parameter", 1, 1, false, {}, false, false},
      {"pipeline", 0, 0, false, {}, false, false},
  };
  return kRules;
}

bool is_whole_number(const std::string& text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string words_expected(const DirectiveRule& rule) {
  if (rule.most_words == 0) return "no words";
  if (rule.least_words < rule.most_words)
    return fmt::format("{} or {} words", rule.least_words, rule.most_words);
  return rule.least_words == 1 ? "1 word" : fmt::format("{} words", rule.least_words);
}

class DirectiveChecker {
 public:
  DirectiveChecker(const std::vector<std::string>& inputs, Diagnostics& diagnostics)
      : inputs_(inputs), diagnostics_(diagnostics) {}

  void check(const Directive& directive, bool is_block) {
    const auto& rules = directive_rules();
    const auto rule = std::find_if(rules.begin(), rules.end(),
                                   [&](const auto& one) { return one.name == directive.name; });
    if (rule->is_block && !is_block)
      return complain(directive, "stands alone on its line, not inside a text");
    if (directive.words.size() < rule->least_words || directive.words.size() > rule->most_words)
      return complain(directive, fmt::format("expects {}, got {}", words_expected(*rule),
                                             directive.words.size()));
    if (!rule->takes_caption && !directive.caption.empty()) complain(directive, "takes no caption");
    if (rule->names_input) check_input(directive, directive.words[0]);
    if (directive.name == "cell" && directive.words.size() > 2)
      check_format(directive, directive.words[2]);
    for (const auto& [option, value] : directive.options)
      check_option(directive, *rule, option, value);
  }

 private:
  void complain(const Directive& directive, const std::string& what) {
    diagnostics_.add(directive.location, fmt::format("'{}' {}", printable(directive.name), what));
  }

  void check_input(const Directive& directive, const std::string& name) {
    if (std::find(inputs_.begin(), inputs_.end(), name) != inputs_.end()) return;
    complain(directive, fmt::format("names the input '{}', which is not connected; connected: {}{}",
                                    printable(name), inputs_.empty() ? "none" : join(inputs_, ", "),
                                    did_you_mean(name, inputs_)));
  }

  void check_option(const Directive& directive, const DirectiveRule& rule,
                    const std::string& option, const std::string& value) {
    if (std::find(rule.options.begin(), rule.options.end(), option) == rule.options.end()) {
      complain(directive, fmt::format("has no option '{}'{}", printable(option),
                                      did_you_mean(option, rule.options)));
    } else if ((option == "rows" || option == "row") && !is_whole_number(value)) {
      complain(directive,
               fmt::format("{} expects a whole number, got '{}'", option, printable(value)));
    }
  }

  void check_format(const Directive& directive, const std::string& format) {
    const auto& formats = value_formats();
    if (std::find(formats.begin(), formats.end(), format) != formats.end()) return;
    complain(directive, fmt::format("has no format '{}'; there are {}", printable(format),
                                    join(formats, ", ")));
  }

  const std::vector<std::string>& inputs_;
  Diagnostics& diagnostics_;
};

// The value of a condition if it does not depend on artifacts; nullopt if it does.
using KnownTruth = std::optional<bool>;

class TemplateChecker {
 public:
  TemplateChecker(const std::vector<std::string>& inputs, Diagnostics& diagnostics)
      : inputs_(inputs), diagnostics_(diagnostics), directives_(inputs, diagnostics) {}

  void check(const std::vector<TemplatePart>& parts) {
    const std::size_t known = variables_.size();
    for (const TemplatePart& part : parts) check(part);
    variables_.resize(known);
  }

  // Checks the formulas of the collected text.
  void check_text() {
    try {
      HeadingIds unused;
      render_markdown(text_, unused, "");
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
        return add_text(part);
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

  void add_text(const TemplatePart& part) {
    if (text_.empty()) text_location_ = part.location;
    text_ += part.text;
  }

  void check_directive(const TemplatePart& part) {
    directives_.check(part.directive, part.is_alone);
    if (!part.is_alone) {
      text_ += "0";
      return;
    }
    check_text();
    if (loops_ > 0) complain(fmt::format("'{}' cannot stand in a loop", part.directive.name));
  }

  void check_value(const TemplatePart& part) {
    if (part.expression.is_name() && !is_variable(part.expression.text) &&
        is_input(part.expression.text))
      return complain(fmt::format("'{}' is an input: which of its values? write INPUT.NAME",
                                  part.expression.text));
    if (!check_expression(part.expression)) return;
    const auto& formats = value_formats();
    if (!part.format.empty() &&
        std::find(formats.begin(), formats.end(), part.format) == formats.end())
      complain(fmt::format("'{}' has no format '{}'; there are {}", printable(part.text),
                           printable(part.format), join(formats, ", ")));
  }

  // Branches that cannot be shown with these inputs may name missing ones.
  void check_if(const TemplatePart& part) {
    for (const TemplateBranch& branch : part.branches) {
      location_ = branch.location;
      check_condition(branch.condition);
      const KnownTruth truth = known_truth(branch.condition);
      if (truth != false) check(branch.parts);
      if (truth == true) return;
    }
  }

  void check_for(const TemplatePart& part) {
    check_expression(part.expression);
    const std::size_t known = variables_.size();
    variables_.push_back(part.name);
    ++loops_;
    check(part.branches[0].parts);
    --loops_;
    variables_.resize(known);
  }

  bool is_variable(std::string_view name) const {
    return std::find(variables_.begin(), variables_.end(), name) != variables_.end();
  }

  bool is_input(std::string_view name) const {
    return std::find(inputs_.begin(), inputs_.end(), name) != inputs_.end();
  }

  // A bare name tests for an input, like has().
  KnownTruth known_truth(const Expression& condition) const {
    if (condition.kind == Expression::Kind::kBoolean) return condition.number != 0;
    if (condition.is_name())
      return is_variable(condition.text) ? KnownTruth() : is_input(condition.text);
    if (condition.kind == Expression::Kind::kCall && condition.text == "has")
      return !condition.operands.empty() && is_input(condition.operands[0].text);
    if (condition.kind != Expression::Kind::kOperator) return std::nullopt;
    const std::string& sign = condition.text;
    if (sign != "not" && sign != "and" && sign != "or") return std::nullopt;
    const KnownTruth left = known_truth(condition.operands[0]);
    if (sign == "not") return left ? KnownTruth(!*left) : left;
    const KnownTruth right = known_truth(condition.operands[1]);
    const bool decisive = sign == "or";  // one such operand decides
    if (left == decisive || right == decisive) return decisive;
    return left && right ? KnownTruth(!decisive) : std::nullopt;
  }

  bool check_condition(const Expression& condition) {
    if (rows_ == 0 && condition.is_name()) return true;
    return check_expression(condition);
  }

  // Returns false after reporting a mistake. In arguments evaluated for each row, any name may be a
  // column.
  bool check_expression(const Expression& expression) {
    switch (expression.kind) {
      case Expression::Kind::kPath:
        return check_path(expression);
      case Expression::Kind::kCall:
        return check_call(expression);
      case Expression::Kind::kOperator:
        return check_operator(expression);
      default:
        return std::all_of(expression.operands.begin(), expression.operands.end(),
                           [&](const Expression& one) { return check_expression(one); });
    }
  }

  bool check_path(const Expression& path) {
    const std::string_view name = path.first_name();
    if (rows_ > 0 || is_variable(name) || is_input(name)) return true;
    std::vector<std::string> names = inputs_;
    names.insert(names.end(), variables_.begin(), variables_.end());
    for (const std::string& directive : directive_names()) names.push_back(directive);
    const bool is_difference = name.find('-') != std::string_view::npos;
    complain(fmt::format("'{}' is neither a directive nor a value of a connected input{}{}",
                         printable(path.text), did_you_mean(name, names),
                         is_difference ? " (a difference has spaces around its minus)" : ""));
    return false;
  }

  bool check_call(const Expression& call) {
    const std::string mistake = mistake_in_call(call);
    if (!mistake.empty()) {
      complain(mistake);
      return false;
    }
    if (call.text == "has") {
      if (!call.operands[0].is_name()) complain("has() takes the name of an input");
      return call.operands[0].is_name();
    }
    const std::vector<std::size_t>& row_arguments = find_function(call.text)->row_arguments;
    bool is_right = true;
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
      if (call.text == "choose" && i > 0 && rows_ == 0 && known_truth(call.operands[0]) == (i == 2))
        continue;  // never evaluated
      const bool in_row =
          std::find(row_arguments.begin(), row_arguments.end(), i) != row_arguments.end();
      const bool is_condition = call.text == "choose" && i == 0;
      rows_ += in_row;
      const Expression& operand = call.operands[i];
      is_right &= is_condition ? check_condition(operand) : check_expression(operand);
      rows_ -= in_row;
    }
    return is_right;
  }

  bool check_operator(const Expression& expression) {
    const std::string& sign = expression.text;
    if (sign == "not") return check_condition(expression.operands[0]);
    if (sign != "and" && sign != "or")
      return std::all_of(expression.operands.begin(), expression.operands.end(),
                         [&](const Expression& one) { return check_expression(one); });
    if (!check_condition(expression.operands[0])) return false;
    // If the first operand decides, the second is not evaluated.
    if (rows_ == 0 && known_truth(expression.operands[0]) == (sign == "or")) return true;
    return check_condition(expression.operands[1]);
  }

  void complain(const std::string& what) { diagnostics_.add(location_, what); }

  const std::vector<std::string>& inputs_;
  Diagnostics& diagnostics_;
  DirectiveChecker directives_;
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
