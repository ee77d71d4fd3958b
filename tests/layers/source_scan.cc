#include "tests/layers/source_scan.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>

namespace headway::layers {
namespace {

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Token> scan() {
    while (at_ < text_.size()) step();
    return std::move(tokens_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') starts_line_ = true;
    const bool is_directive = c == '#' && starts_line_;
    if (!std::isspace(static_cast<unsigned char>(c))) starts_line_ = false;
    if (is_directive) return skip_to(text_.find('\n', at_));
    if (starts_with("//")) return skip_to(text_.find('\n', at_));
    if (starts_with("/*")) return skip_to(after(text_.find("*/", at_), 2));
    if (starts_with("R\"")) return raw_string();
    if (c == '"' || c == '\'') return quoted(c);
    if (is_digit(c)) {
      return skip_while([](char d) { return is_letter(d) || is_digit(d) || d == '\''; });
    }
    if (!is_letter(c)) return skip_to(at_ + 1);
    const std::size_t begin = at_;
    const int line = line_;
    skip_while([](char d) { return is_letter(d) || is_digit(d); });
    add(line, begin, at_, false);
  }

  void quoted(char quote) {
    const int line = line_;
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
    if (quote == '"') add(line, at_ + 1, end, true);
    skip_to(end + 1);
  }

  void raw_string() {
    const int line = line_;
    const std::size_t open = text_.find('(', at_);
    const std::string close = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    const std::size_t end = text_.find(close, open);
    add(line, open + 1, end, true);
    skip_to(after(end, close.size()));
  }

  void add(int line, std::size_t begin, std::size_t end, bool is_literal) {
    tokens_.push_back({line, std::string(text_.substr(begin, end - begin)), is_literal});
  }

  template <class Condition>
  void skip_while(const Condition& condition) {
    while (at_ < text_.size() && condition(text_[at_])) ++at_;
  }

  void skip_to(std::size_t end) {
    end = std::min(end, text_.size());
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  static std::size_t after(std::size_t found, std::size_t size) {
    return found == std::string_view::npos ? found : found + size;
  }
  bool starts_with(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }

  const std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool starts_line_ = true;
  std::vector<Token> tokens_;
};

bool is_inflected(const std::string& word, const std::string& base) {
  for (const char* ending : {"", "s", "es", "ed", "er", "ing"}) {
    if (word == base + ending) return true;
  }
  return base.ends_with("y") && word == base.substr(0, base.size() - 1) + "ies";
}

}  // namespace

std::vector<SourceFile> source_files(const std::filesystem::path& root,
                                     const std::vector<std::string>& folders) {
  std::vector<SourceFile> files;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cc") continue;
      std::ifstream in(entry.path());
      files.push_back({entry.path().lexically_relative(root).string(),
                       {std::istreambuf_iterator<char>(in), {}}});
    }
  }
  return files;
}

std::vector<Include> includes_of(std::string_view text) {
  static const std::regex kLine("(?:^|\n)[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"\n]+)[>\"]");
  std::vector<Include> includes;
  const std::string all(text);
  for (std::sregex_iterator found(all.begin(), all.end(), kLine), end; found != end; ++found)
    includes.push_back({(*found)[2], (*found)[1] == "\""});
  return includes;
}

std::vector<Token> tokens_of(std::string_view text) {
  return Scanner(text).scan();
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false, was_small = false;
  for (const char c : text) {
    const bool is_large = std::isupper(static_cast<unsigned char>(c)) != 0;
    const bool belongs = is_digit(c) || (is_letter(c) && c != '_');
    if (belongs) {
      if (!inside || (is_large && was_small)) words.emplace_back();
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    inside = belongs;
    was_small = belongs && !is_large;
  }
  return words;
}

bool mentions(std::string_view text, std::string_view phrase) {
  const std::vector<std::string> words = words_of(text), wanted = words_of(phrase);
  for (std::size_t i = 0; i + wanted.size() <= words.size(); ++i) {
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::equal(wanted.begin(), wanted.end() - 1, first) &&
        is_inflected(words[i + wanted.size() - 1], wanted.back())) {
      return true;
    }
  }
  return false;
}

}  // namespace headway::layers
