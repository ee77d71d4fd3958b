#include "lib/report/report_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/base/text.h"

namespace headway {
namespace {

// The words between two braces: `figure importance rows=3 "A caption."`.
class DirectiveReader {
 public:
  DirectiveReader(std::string_view text, const SourceLocation& location, Diagnostics& diagnostics)
      : text_(text), mark_(location), diagnostics_(diagnostics) {}

  Directive read() {
    Directive directive;
    directive.location = mark_;
    for (skip_spaces(); at_ < text_.size(); skip_spaces()) add(next(), directive);
    if (directive.name.empty())
      diagnostics_.add(mark_, "{{ }} is empty: a directive or a value is expected");
    return directive;
  }

 private:
  struct Word {
    std::string text;
    std::optional<std::string> value;  // of key=value
    bool quoted = false;
  };

  bool at_space() const { return text_[at_] == ' ' || text_[at_] == '\t'; }

  void skip_spaces() {
    while (at_ < text_.size() && at_space()) ++at_;
  }

  void add(const Word& word, Directive& directive) {
    if (word.value) {
      if (!directive.options.emplace(word.text, *word.value).second)
        diagnostics_.add(mark_, fmt::format("'{}' is given twice", printable(word.text)));
    } else if (word.quoted) {
      if (!directive.caption.empty())
        diagnostics_.add(mark_, "two texts in quotes: a directive has one caption");
      directive.caption = word.text;
      if (word.text.find("{{") != std::string::npos)
        diagnostics_.add(mark_, "captions are not filled in: no directives in quotes");
    } else if (directive.name.empty()) {
      directive.name = word.text;
    } else {
      directive.words.push_back(word.text);
    }
  }

  Word next() {
    Word word;
    if (text_[at_] == '"') {
      word.text = quoted();
      word.quoted = true;
      return word;
    }
    while (at_ < text_.size() && !at_space()) {
      if (text_[at_] == '=' && !word.text.empty()) {
        ++at_;
        word.value = at_ < text_.size() && text_[at_] == '"' ? quoted() : plain();
        return word;
      }
      word.text += text_[at_++];
    }
    return word;
  }

  std::string plain() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !at_space()) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string quoted() {
    std::string result;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        return result;
      }
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      result += text_[at_];
    }
    diagnostics_.add(mark_, "a quote is opened and not closed");
    return result;
  }

  std::string_view text_;
  const SourceLocation mark_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
};

std::size_t run_length(std::string_view text, std::size_t begin) {
  const std::size_t end = text.find_first_not_of(text[begin], begin);
  return (end == std::string_view::npos ? text.size() : end) - begin;
}

// Knows, line by line, what is inside of ``` or ~~~.
class CodeFences {
 public:
  // Whether this line is code, or opens or closes it.
  bool takes(std::string_view bare) {
    const bool is_mark = bare.starts_with("```") || bare.starts_with("~~~");
    const std::size_t length = is_mark ? run_length(bare, 0) : 0;
    if (length_ == 0) {
      // After backquotes with more of them in the line: a `code span`, no fence.
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
  std::size_t length_ = 0;  // of the fence that is open; 0: none
};

// Of the '}}' that closes what is open; one in quotes does not, unless there is no other.
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

// Of the next '{{' outside `code`.
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

// {{ evaluation.greedy percent }} is part of its paragraph also where a line has nothing else.
bool is_value(const Directive& directive) {
  const std::string& name = directive.name;
  return name == "cell" || name == "parameter" || name == "pipeline" ||
         name.find('.') != std::string::npos;
}

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
    for (const OpenIf& one : open_)
      diagnostics_.add(one.location, "'if' is not closed: {{ end }} is missing");
    diagnostics_.throw_if_any();
    return std::move(result_);
  }

 private:
  struct OpenIf {
    SourceLocation location;
    bool has_else = false;
  };

  SourceLocation location_at(int line, std::size_t offset) const {
    return {source_, line, static_cast<int>(offset) + 1};
  }

  void read_line(std::string_view line, int number) {
    const std::string_view bare = trim(line);
    if (fences_.takes(bare)) return add_text(std::string(line) + "\n", number);
    const bool is_title = result_.title.empty() && result_.parts.empty() && bare.starts_with("# ");
    if (is_title) {
      result_.title = trim(bare.substr(2));
      if (bare.find("{{") != std::string_view::npos)
        diagnostics_.add(location_at(number, line.find("{{")),
                         "the title is not filled in: no directives in the first heading");
      return;
    }
    if (bare.empty() && result_.parts.empty()) return;
    const bool is_alone = bare.starts_with("{{") && closing_braces(bare, 0) == bare.size() - 2;
    if (!is_alone || !add_block(bare, location_at(number, line.find("{{"))))
      read_inlines(line, number);
  }

  // False where it is a value.
  bool add_block(std::string_view bare, const SourceLocation& location) {
    TemplatePart part;
    part.is_block = true;
    part.location = location;
    part.block = DirectiveReader(bare.substr(2, bare.size() - 4), location, diagnostics_).read();
    if (is_value(part.block)) return false;
    follow_condition(part.block);
    result_.parts.push_back(std::move(part));
    return true;
  }

  void follow_condition(const Directive& directive) {
    const std::string& name = directive.name;
    if (name == "if") {
      open_.push_back({directive.location});
      if (directive.words.size() != 1)
        diagnostics_.add(directive.location, "'if' expects the name of an input");
      else if (directive.words[0].find('.') != std::string::npos)
        diagnostics_.add(directive.location,
                         "'if' asks whether an input is connected, not for a value");
    }
    if (name != "else" && name != "end") return;
    if (open_.empty()) {
      diagnostics_.add(directive.location, fmt::format("'{}' without an 'if' above it", name));
    } else if (name == "end") {
      open_.pop_back();
    } else if (std::exchange(open_.back().has_else, true)) {
      diagnostics_.add(directive.location, "a second 'else' of the same 'if'");
    }
  }

  void read_inlines(std::string_view line, int number) {
    std::size_t at = 0;
    for (;;) {
      const std::size_t open = opening_braces(line, at);
      if (open == std::string_view::npos) break;
      const std::size_t close = closing_braces(line, open);
      if (close == std::string_view::npos) {
        diagnostics_.add(location_at(number, open), "'{{' is not closed in its line");
        break;
      }
      add_text(std::string(line.substr(at, open - at)), number);
      TemplatePart& part = result_.parts.back();
      part.inlines.push_back(DirectiveReader(line.substr(open + 2, close - open - 2),
                                             location_at(number, open), diagnostics_)
                                 .read());
      part.texts.emplace_back();
      at = close + 2;
    }
    add_text(std::string(line.substr(at)) + "\n", number);
  }

  void add_text(const std::string& text, int line) {
    if (result_.parts.empty() || result_.parts.back().is_block) {
      result_.parts.emplace_back();
      result_.parts.back().location = location_at(line, 0);
      result_.parts.back().texts.emplace_back();
    }
    result_.parts.back().texts.back() += text;
  }

  std::string_view text_;
  const std::string* source_;
  CodeFences fences_;
  std::vector<OpenIf> open_;
  ReportTemplate result_;
  Diagnostics diagnostics_;
};

}  // namespace

bool Conditions::is_shown(const TemplatePart& part) {
  const std::string& name = part.block.name;
  if (part.is_block && name == "if") {
    open_.push_back(!part.block.words.empty() && std::find(inputs_.begin(), inputs_.end(),
                                                           part.block.words[0]) != inputs_.end());
    return false;
  }
  if (part.is_block && name == "else") {
    open_.back() = !open_.back();
    return false;
  }
  if (part.is_block && name == "end") {
    open_.pop_back();
    return false;
  }
  return std::find(open_.begin(), open_.end(), false) == open_.end();
}

ReportTemplate parse_template(std::string_view text, const std::string& file) {
  return TemplateReader(text, file).read();
}

}  // namespace headway
