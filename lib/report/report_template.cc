#include "lib/report/report_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lib/base/text.h"

namespace headway {
namespace {

// The words between two braces: `figure importance rows=3 "A caption."`.
class DirectiveReader {
 public:
  DirectiveReader(std::string_view text, const Mark& mark, Diagnostics& diagnostics)
      : text_(text), mark_(mark), diagnostics_(diagnostics) {}

  Directive read() {
    Directive directive;
    directive.mark = mark_;
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

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  void add(const Word& word, Directive& directive) {
    if (word.value) {
      if (!directive.options.emplace(word.text, *word.value).second)
        diagnostics_.add(mark_, fmt::format("'{}' is given twice", printable(word.text)));
    } else if (word.quoted) {
      directive.caption = word.text;
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
    while (at_ < text_.size() && text_[at_] != ' ') {
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
    while (at_ < text_.size() && text_[at_] != ' ') ++at_;
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
  const Mark mark_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
};

class TemplateReader {
 public:
  TemplateReader(std::string_view text, const std::string& file)
      : text_(text), source_(Mark::intern(file)) {}

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
    for (const Mark& mark : open_)
      diagnostics_.add(mark, "'if' is not closed: {{ end }} is missing");
    diagnostics_.throw_if_any();
    return std::move(result_);
  }

 private:
  Mark mark_at(int line, std::size_t offset) const {
    return {source_, line, static_cast<int>(offset) + 1};
  }

  void read_line(std::string_view line, int number) {
    const std::string_view bare = trim(line);
    if (bare.starts_with("```") || bare.starts_with("~~~")) in_fence_ = !in_fence_;
    if (in_fence_) return add_text(std::string(line) + "\n");
    const bool is_title = result_.title.empty() && result_.parts.empty() && bare.starts_with("# ");
    if (is_title) {
      result_.title = trim(bare.substr(2));
      return;
    }
    if (bare.empty() && result_.parts.empty()) return;
    const bool is_block = bare.starts_with("{{") && bare.ends_with("}}") &&
                          bare.find("{{", 2) == std::string_view::npos;
    if (is_block) {
      add_block(bare.substr(2, bare.size() - 4), mark_at(number, line.find("{{")));
    } else {
      read_inlines(line, number);
    }
  }

  void add_block(std::string_view content, const Mark& mark) {
    TemplatePart part;
    part.is_block = true;
    part.block = DirectiveReader(content, mark, diagnostics_).read();
    const std::string& name = part.block.name;
    if (name == "if") open_.push_back(mark);
    if (name == "if" && part.block.words.size() != 1)
      diagnostics_.add(mark, "'if' expects the name of an input");
    if ((name == "else" || name == "end") && open_.empty())
      diagnostics_.add(mark, fmt::format("'{}' without an 'if' above it", name));
    if (name == "end" && !open_.empty()) open_.pop_back();
    result_.parts.push_back(std::move(part));
  }

  void read_inlines(std::string_view line, int number) {
    std::size_t at = 0;
    for (;;) {
      const std::size_t open = next_open(line, at);
      if (open == std::string_view::npos) break;
      const std::size_t close = line.find("}}", open);
      if (close == std::string_view::npos) {
        diagnostics_.add(mark_at(number, open), "'{{' is not closed in its line");
        break;
      }
      add_text(std::string(line.substr(at, open - at)));
      TemplatePart& part = result_.parts.back();
      part.inlines.push_back(DirectiveReader(line.substr(open + 2, close - open - 2),
                                             mark_at(number, open), diagnostics_)
                                 .read());
      part.texts.emplace_back();
      at = close + 2;
    }
    add_text(std::string(line.substr(at)) + "\n");
  }

  // Of the next '{{' outside `code`.
  static std::size_t next_open(std::string_view line, std::size_t from) {
    while (from < line.size()) {
      const std::size_t open = line.find("{{", from);
      const std::size_t tick = line.find('`', from);
      if (tick == std::string_view::npos || open < tick) return open;
      const std::size_t end = line.find('`', tick + 1);
      if (end == std::string_view::npos) return open;
      from = end + 1;
    }
    return std::string_view::npos;
  }

  void add_text(const std::string& text) {
    if (result_.parts.empty() || result_.parts.back().is_block) {
      result_.parts.emplace_back();
      result_.parts.back().texts.emplace_back();
    }
    result_.parts.back().texts.back() += text;
  }

  std::string_view text_;
  const std::string* source_;
  bool in_fence_ = false;
  std::vector<Mark> open_;  // of `if`
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
