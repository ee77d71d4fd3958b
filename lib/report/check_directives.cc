#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lib/base/text.h"
#include "lib/report/directives.h"
#include "lib/report/finding_kinds.h"
#include "lib/report/markdown_html.h"
#include "lib/report/metric_values.h"

namespace headway {
namespace {

struct DirectiveRule {
  const char* name;
  std::size_t least_words;
  std::size_t most_words;
  bool names_input;  // the first word is one
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
      {"findings", 1, 1, false, {}, true, false},
      {"all", 0, 0, false, {}, true, false},
      {"if", 1, 1, false, {}, true, false},
      {"else", 0, 0, false, {}, true, false},
      {"end", 0, 0, false, {}, true, false},
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
    if (rule == rules.end()) return check_value(directive);
    if (rule->is_block && !is_block)
      return complain(directive, "stands alone on its line, not inside a text");
    if (directive.words.size() < rule->least_words || directive.words.size() > rule->most_words)
      return complain(directive, fmt::format("expects {}, got {}", words_expected(*rule),
                                             directive.words.size()));
    if (!rule->takes_caption && !directive.caption.empty()) complain(directive, "takes no caption");
    if (rule->names_input) check_input(directive, directive.words[0]);
    if (directive.name == "cell" && directive.words.size() > 2)
      check_format(directive, directive.words[2]);
    if (directive.name == "findings") return check_findings(directive);
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

  // {{ evaluation.greedy percent }}, or a misspelt directive.
  void check_value(const Directive& directive) {
    const std::string input = directive.name.substr(0, directive.name.find('.'));
    const bool known = std::find(inputs_.begin(), inputs_.end(), input) != inputs_.end();
    if (!known) {
      std::vector<std::string> names = inputs_;
      for (const DirectiveRule& rule : directive_rules()) names.push_back(rule.name);
      return complain(directive,
                      fmt::format("is neither a directive nor a value of a connected input{}",
                                  did_you_mean(input, names)));
    }
    if (directive.name.find('.') == std::string::npos)
      return complain(directive, "is an input: which of its values? write INPUT.NAME");
    if (directive.words.size() > 1 || !directive.options.empty() || !directive.caption.empty())
      return complain(directive, "takes one format, and nothing else");
    if (!directive.words.empty()) check_format(directive, directive.words[0]);
  }

  void check_findings(const Directive& directive) {
    const FindingKind* kind = find_finding_kind(directive.words[0]);
    if (!kind) {
      std::vector<std::string> kinds;
      for (const FindingKind& one : finding_kinds()) kinds.push_back(one.name);
      return complain(directive,
                      fmt::format("has no kind '{}'; there are {}{}", printable(directive.words[0]),
                                  join(kinds, ", "), did_you_mean(directive.words[0], kinds)));
    }
    for (const auto& [role, input] : directive.options) {
      if (!kind->find(role)) {
        std::vector<std::string> roles;
        for (const FindingRole& one : kind->roles) roles.push_back(one.name);
        complain(directive, fmt::format("{} has no '{}'; it takes {}", kind->name, printable(role),
                                        join(roles, ", ")));
      }
      check_input(directive, input);
    }
    for (const FindingRole& role : kind->roles) {
      if (role.is_required && !directive.options.contains(role.name))
        complain(directive,
                 fmt::format("{} needs {}=INPUT ({})", kind->name, role.name, role.help));
    }
  }

  const std::vector<std::string>& inputs_;
  Diagnostics& diagnostics_;
};

// Formulas, with anything for the values.
void check_text(const TemplatePart& part, Diagnostics& diagnostics) {
  try {
    HeadingIds unused;
    render_markdown(join(part.texts, "0"), unused, "");
  } catch (const Error& error) {
    std::string_view message = error.what();
    if (message.starts_with(": ")) message.remove_prefix(2);
    diagnostics.add(part.location, std::string(message));
  }
}

}  // namespace

void check_directives(const ReportTemplate& text, const std::vector<std::string>& inputs,
                      Diagnostics& diagnostics) {
  DirectiveChecker checker(inputs, diagnostics);
  Conditions conditions(inputs);
  for (const TemplatePart& part : text.parts) {
    if (!conditions.is_shown(part)) continue;
    if (part.is_block) checker.check(part.block, true);
    for (const Directive& directive : part.inlines) checker.check(directive, false);
    if (!part.is_block) check_text(part, diagnostics);
  }
}

}  // namespace headway
