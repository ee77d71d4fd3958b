// Decides which dollars in Markdown delimit formulas. md4c pairs any two, so a price would break
// the formula after it. Other dollars are escaped as "\$" before md4c reads them.
#pragma once

#include <md4c.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/report/markdown_elements.h"

namespace headway {

inline bool is_ascii_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

inline bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Pandoc's rule, extended to letters: "$5 and $6", "$HOME/$USER" and "US$5" are not formulas. Only
// ASCII letters count, because some languages write formulas without a space before them.
inline bool opens_formula(std::string_view text, std::size_t dollar) {
  const bool touches_word = dollar > 0 && is_ascii_word(text[dollar - 1]);
  return !touches_word && dollar + 1 < text.size() && !is_space(text[dollar + 1]);
}

inline bool closes_formula(std::string_view text, std::size_t dollar) {
  const bool touches_word = dollar + 1 < text.size() && is_ascii_word(text[dollar + 1]);
  return !touches_word && dollar > 0 && !is_space(text[dollar - 1]);
}

// Finds dollars in running text, not in code and addresses, by paragraph, cell or heading.
class DollarFinder {
 public:
  struct Run {
    std::size_t begin = 0, size = 0;
    int block = 0;
  };

  explicit DollarFinder(std::string_view document) : document_(document) {}

  std::vector<Run> find() {
    MD_PARSER parser{};
    parser.flags = kMarkdownFlags & ~static_cast<unsigned>(MD_FLAG_LATEXMATHSPANS);
    parser.enter_block = [](MD_BLOCKTYPE, void*, void* self) { return of(self).next_block(); };
    parser.leave_block = [](MD_BLOCKTYPE, void*, void* self) { return of(self).next_block(); };
    parser.enter_span = [](MD_SPANTYPE type, void*, void* self) { return of(self).span(type, 1); };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* self) { return of(self).span(type, -1); };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return type == MD_TEXT_NORMAL ? of(self).text({text, size}) : 0;
    };
    md_parse(document_.data(), static_cast<MD_SIZE>(document_.size()), &parser, this);
    return std::move(runs_);
  }

 private:
  static DollarFinder& of(void* self) { return *static_cast<DollarFinder*>(self); }

  int next_block() {
    ++block_;
    return 0;
  }

  // Leaves dollars in links alone: md4c reads formulas in a link separately, and the text may be a
  // reference.
  int span(MD_SPANTYPE type, int change) {
    if (type == MD_SPAN_A || type == MD_SPAN_IMG) links_ += change;
    return 0;
  }

  int text(std::string_view text) {
    const bool is_of_document =
        std::less_equal<>{}(document_.data(), text.data()) &&
        std::less_equal<>{}(text.data() + text.size(), document_.data() + document_.size());
    if (links_ > 0 || !is_of_document) return 0;
    const std::size_t begin = static_cast<std::size_t>(text.data() - document_.data());
    for (std::size_t at = begin; at < begin + text.size(); ++at) {
      if (document_[at] == '$' && !is_escaped(at)) add(at);
    }
    return 0;
  }

  bool is_escaped(std::size_t at) const {
    std::size_t backslashes = 0;
    while (backslashes < at && document_[at - 1 - backslashes] == '\\') ++backslashes;
    return backslashes % 2 == 1;
  }

  void add(std::size_t at) {
    if (!runs_.empty() && runs_.back().begin + runs_.back().size == at)
      ++runs_.back().size;
    else
      runs_.push_back({at, 1, block_});
  }

  std::string_view document_;
  std::vector<Run> runs_;
  int block_ = 0, links_ = 0;
};

inline bool are_formula_ends(std::string_view document, const DollarFinder::Run& left,
                             const DollarFinder::Run& right) {
  if (left.block != right.block || left.size != right.size) return false;
  if (left.size == 1)
    return opens_formula(document, left.begin) && closes_formula(document, right.begin);
  return left.size == 2;
}

inline std::string with_plain_dollars_escaped(std::string_view document) {
  const std::vector<DollarFinder::Run> runs = DollarFinder(document).find();
  std::string escaped;
  std::size_t done = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i + 1 < runs.size() && are_formula_ends(document, runs[i], runs[i + 1])) {
      ++i;
      continue;
    }
    escaped += document.substr(done, runs[i].begin - done);
    for (std::size_t dollar = 0; dollar < runs[i].size; ++dollar) escaped += "\\$";
    done = runs[i].begin + runs[i].size;
  }
  return escaped += document.substr(done);
}

}  // namespace headway
