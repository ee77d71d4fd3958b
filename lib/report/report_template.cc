#include "lib/report/report_template.h"

#include <algorithm>
#include <utility>

#include "lib/base/text.h"

namespace headway {
namespace {

// Reads the words between braces: `figure importance rows=3 "A caption."`. Throws Error, without a
// location.
Directive read_directive(std::string_view text) {
  Directive directive;
  std::size_t at = 0;
  const auto until = [&](std::string_view ends) {
    const std::size_t begin = at;
    at = std::min(text.find_first_of(ends, at), text.size());
    return std::string(text.substr(begin, at - begin));
  };
  while ((at = text.find_first_not_of(" \t", at)) < text.size()) {
    if (text[at] == '"') {
      if (!directive.caption.empty())
        throw Error("two texts in quotes: a directive has one caption");
      directive.caption = read_quoted(text, at);
      if (directive.caption.find("{{") != std::string::npos)
        throw Error("captions are not filled in: no directives in quotes");
      continue;
    }
    const char first = text[at++];  // may be '='
    const std::string word = first + until(" \t=");
    if (at < text.size() && text[at] == '=') {
      const bool is_quoted = text.substr(++at).starts_with('"');
      const std::string value = is_quoted ? read_quoted(text, at) : until(" \t");
      if (!directive.options.emplace(word, value).second)
        throw Error("'{}' is given twice", printable(word));
    } else if (directive.name.empty()) {
      directive.name = word;
    } else {
      directive.words.push_back(word);
    }
  }
  return directive;
}

std::size_t run_length(std::string_view text, std::size_t begin) {
  const std::size_t end = text.find_first_not_of(text[begin], begin);
  return (end == std::string_view::npos ? text.size() : end) - begin;
}

// Tracks, line by line, whether text is inside ``` or ~~~.
class CodeFences {
 public:
  // Whether this line is code, or opens or closes a code block.
  bool takes(std::string_view bare) {
    const bool is_mark = bare.starts_with("```") || bare.starts_with("~~~");
    const std::size_t length = is_mark ? run_length(bare, 0) : 0;
    if (length_ == 0) {
      // More backquotes later in the line mean a `code span`, not a fence.
      const bool opens = is_mark && (bare[0] == '~' || bare.find('`', length) == bare.npos);
      if (opens) sign_ = bare[0], length_ = length;
      return opens;
    }
    const bool closes = is_mark && bare[0] == sign_ && length >= length_ && length == bare.size();
    if (closes) length_ = 0;
    return true;
  }

 private:
  char sign_ = '`';
  std::size_t length_ = 0;  // of the open fence; 0: none
};

// The position of the closing '}}'. Skips those in quotes, unless there is no other.
std::size_t closing_braces(std::string_view line, std::size_t open) {
  bool in_quotes = false;
  for (std::size_t at = open + 2; at < line.size(); ++at) {
    if (in_quotes && line[at] == '\\')
      ++at;
    else if (line[at] == '"')
      in_quotes = !in_quotes;
    else if (!in_quotes && line.substr(at).starts_with("}}"))
      return at;
  }
  return line.find("}}", open + 2);
}

// The position of the next '{{' outside `code`.
std::size_t opening_braces(std::string_view line, std::size_t from) {
  while (from < line.size()) {
    const std::size_t open = line.find("{{", from);
    const std::size_t tick = line.find('`', from);
    if (tick == std::string_view::npos || open < tick) return open;
    const std::size_t length = run_length(line, tick);
    std::size_t end = line.find('`', tick + length);
    while (end != std::string_view::npos && run_length(line, end) != length)
      end = line.find('`', end + run_length(line, end));
    from = (end == std::string_view::npos ? tick : end) + length;
  }
  return std::string_view::npos;
}

constexpr std::size_t kDeepestBlocks = 30;

// Control words, which produce no text.
bool is_control(std::string_view word) {
  return word == "let" || word == "if" || word == "else" || word == "for" || word == "end";
}

// The first word between the braces.
std::string_view first_word(std::string_view content) {
  content = trim(content);
  return content.substr(0, content.find_first_of(" \t"));
}

const std::vector<DirectiveRule>& directive_rules() {
  static const std::vector<DirectiveRule> kRules = {
      {"figure", 1, 1, true, {}, true, true},
      {"table", 1, 1, true, {"columns", "percent", "rows"}, true, true},
      {"text", 1, 1, true, {}, true, false},
      {"explorer", 1, 1, true, {}, true, false},
      {"all", 0, 0, false, {"except", "headings"}, true, false},
      {"cell", 2, 3, true, {"row"}, false, false},
      {"parameter", 1, 1, false, {}, false, false},
      {"pipeline", 0, 0, false, {}, false, false},
  };
  return kRules;
}

// The text between braces in a line.
struct Braces {
  std::size_t open = 0, close = 0;  // positions of '{{' and '}}'
  std::string_view content;
};

class TemplateReader {
 public:
  TemplateReader(std::string_view text, const std::string& file)
      : text_(text), source_(SourceLocation::intern(file)) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  }

  ReportTemplate read() {
    std::size_t begin = 0;
    for (int line = 1; begin < text_.size(); ++line) {
      std::size_t end = text_.find('\n', begin);
      if (end == std::string_view::npos) end = text_.size();
      std::string_view content = text_.substr(begin, end - begin);
      if (content.ends_with('\r')) content.remove_suffix(1);
      read_line(content, line);
      begin = end + 1;
    }
    for (const OpenBlock& one : open_)
      diagnostics_.add(one.part.location, "'{}' is not closed: {{{{ end }}}} is missing",
                       one.word());
    diagnostics_.throw_if_any();
    return std::move(result_);
  }

 private:
  // An `if` or `for` without its `end` so far.
  struct OpenBlock {
    TemplatePart part;
    bool has_else = false;

    const char* word() const { return part.kind == TemplatePart::Kind::kIf ? "if" : "for"; }
  };

  SourceLocation location_at(int line, std::size_t offset) const {
    return {source_, line, static_cast<int>(offset) + 1};
  }

  // The parts of the innermost open block.
  std::vector<TemplatePart>& parts() {
    return open_.empty() ? result_.parts : open_.back().part.branches.back().parts;
  }

  void read_line(std::string_view line, int number) {
    const std::string_view bare = trim(line);
    if (fences_.takes(bare)) return add_text(std::string(line) + "\n", number);
    const bool is_first = result_.parts.empty() && open_.empty();
    if (is_first && result_.title.empty() && bare.starts_with("# ")) {
      result_.title = trim(bare.substr(2));
      if (bare.find("{{") != std::string_view::npos)
        diagnostics_.add(location_at(number, line.find("{{")),
                         "the title is not filled in: no directives in the first heading");
      return;
    }
    if (bare.empty() && is_first) return;
    read_content(line, number);
  }

  void read_content(std::string_view line, int number) {
    const std::vector<Braces> all = find_braces(line, number);
    const bool is_alone = stands_alone(line, all);
    std::size_t at = 0;
    for (const Braces& one : all) {
      if (!is_alone) add_text(std::string(line.substr(at, one.open - at)), number);
      at = one.close + 2;
      read_braces(one.content, location_at(number, one.open), is_alone);
    }
    if (!is_alone) add_text(std::string(line.substr(at)) + "\n", number);
  }

  std::vector<Braces> find_braces(std::string_view line, int number) {
    std::vector<Braces> all;
    std::size_t open = opening_braces(line, 0);
    while (open != std::string_view::npos) {
      const std::size_t close = closing_braces(line, open);
      if (close == std::string_view::npos) {
        diagnostics_.add(location_at(number, open), "'{{' is not closed in its line");
        break;
      }
      all.push_back({open, close, line.substr(open + 2, close - open - 2)});
      open = opening_braces(line, close + 2);
    }
    return all;
  }

  // Whether the line has one block directive or only control words: then it leaves no text.
  static bool stands_alone(std::string_view line, const std::vector<Braces>& all) {
    if (all.empty()) return false;
    std::size_t at = 0;
    bool has_only_control = true;
    for (const Braces& one : all) {
      if (!trim(line.substr(at, one.open - at)).empty()) return false;
      has_only_control = has_only_control && is_control(first_word(one.content));
      at = one.close + 2;
    }
    if (!trim(line.substr(at)).empty()) return false;
    if (has_only_control) return true;
    const DirectiveRule* directive = find_directive(first_word(all[0].content));
    return all.size() == 1 && directive && directive->is_block;
  }

  void read_braces(std::string_view content, const SourceLocation& location, bool is_alone) {
    const std::string_view word = first_word(content);
    if (word.empty())
      return diagnostics_.add(location, "{{ }} is empty: a directive or a value is expected");
    TemplatePart part;
    part.location = location;
    part.is_alone = is_alone;
    try {
      if (find_directive(word)) {
        part.kind = TemplatePart::Kind::kDirective;
        part.directive = read_directive(content);
        part.directive.location = location;
        parts().push_back(std::move(part));
        return;
      }
      if (is_control(word)) return read_control(content, std::move(part));
      parts().push_back(read_value(trim(content), std::move(part)));
    } catch (const Error& error) {
      diagnostics_.add(location, error.what());
    }
  }

  // {{ evaluation.greedy percent }}
  static TemplatePart read_value(std::string_view content, TemplatePart part) {
    part.kind = TemplatePart::Kind::kValue;
    ExpressionReader reader(content);
    part.expression = reader.expression();
    part.text = trim(content.substr(0, reader.offset()));
    part.format = reader.word().value_or("");
    if (!reader.at_end() && part.text == "findings") throw Error(kNoFindings);
    if (!reader.at_end())
      throw Error("'{}' takes one format, and nothing else{}", printable(part.text),
                  did_you_mean(part.text, directive_names()));
    return part;
  }

  void read_control(std::string_view content, TemplatePart part) {
    ExpressionReader reader(content);
    const std::string word = *reader.word();
    if (word == "let") {
      read_let(reader, part);
      parts().push_back(std::move(part));
    } else if (word == "if" || word == "for") {
      // Opened even if it is wrong, so that its `end` is not another mistake.
      part.branches.push_back({part.location, {Expression::Kind::kBoolean, "", 1, {}}, {}});
      part.kind = word == "if" ? TemplatePart::Kind::kIf : TemplatePart::Kind::kFor;
      open_.push_back({std::move(part)});
      if (open_.size() > kDeepestBlocks) throw Error("'if' and 'for' are nested too deeply");
      if (word == "if")
        open_.back().part.branches[0].condition = reader.expression();
      else
        read_for(reader, open_.back().part);
    } else {
      read_else_or_end(word, reader, part.location);
    }
    if (!reader.at_end()) reader.expect("nothing more");
  }

  static void read_let(ExpressionReader& reader, TemplatePart& part) {
    part.kind = TemplatePart::Kind::kLet;
    part.name = reader.name();
    if (!reader.take("=")) reader.expect("'='");
    part.expression = reader.expression();
  }

  static void read_for(ExpressionReader& reader, TemplatePart& part) {
    part.name = reader.name();
    if (!reader.take("in")) reader.expect("'in'");
    part.expression = reader.expression();
    bool has_last = false;
    while (!reader.at_end()) {
      const bool is_last = reader.take("last");
      if (!is_last && !reader.take("separator")) reader.expect("separator=\"…\" or last=\"…\"");
      if (!reader.take("=")) reader.expect("'='");
      (is_last ? part.last : part.separator) = reader.quoted();
      has_last = has_last || is_last;
    }
    if (!has_last) part.last = part.separator;
  }

  void read_else_or_end(const std::string& word, ExpressionReader& reader,
                        const SourceLocation& location) {
    if (open_.empty()) throw Error("'{}' without an 'if' above it", word);
    if (word == "end") {
      TemplatePart part = std::move(open_.back().part);
      open_.pop_back();
      parts().push_back(std::move(part));
      return;
    }
    OpenBlock& block = open_.back();
    if (block.part.kind != TemplatePart::Kind::kIf)
      throw Error("'else' belongs to 'if', not 'for'");
    const bool has_condition = reader.take("if");
    if (block.has_else) throw Error("a second 'else' of the same 'if'");
    block.has_else = !has_condition;
    block.part.branches.push_back({location, {Expression::Kind::kBoolean, "", 1, {}}, {}});
    if (has_condition) block.part.branches.back().condition = reader.expression();
  }

  void add_text(const std::string& text, int line) {
    if (text.empty()) return;
    std::vector<TemplatePart>& all = parts();
    if (all.empty() || all.back().kind != TemplatePart::Kind::kText) {
      all.emplace_back();
      all.back().location = location_at(line, 0);
    }
    all.back().text += text;
  }

  std::string_view text_;
  const std::string* source_;
  CodeFences fences_;
  std::vector<OpenBlock> open_;
  ReportTemplate result_;
  Diagnostics diagnostics_;
};

}  // namespace

const DirectiveRule* find_directive(std::string_view name) {
  const std::vector<DirectiveRule>& rules = directive_rules();
  const auto found = std::ranges::find(rules, name, &DirectiveRule::name);
  return found == rules.end() ? nullptr : &*found;
}

std::vector<std::string> directive_names() {
  return texts_of(directive_rules(), &DirectiveRule::name);
}

ReportTemplate parse_template(std::string_view text, const std::string& file) {
  return TemplateReader(text, file).read();
}

}  // namespace headway
