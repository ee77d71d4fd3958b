// Formulas: found in Markdown, translated to MathML.
#include <fmt/format.h>
#include <md4c.h>

#include <functional>
#include <pugixml.hpp>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/base/tool.h"
#include "lib/report/escape.h"
#include "lib/report/markdown_html.h"
#include "lib/report/markdown_words.h"

namespace headway {
namespace {

// All formulas as one XML document, for a single run of blahtexml.
std::string document_of(const std::vector<Formula>& formulas) {
  std::string xml = "<formulas xmlns:b=\"http://gva.noekeon.org/blahtexml\">";
  for (const Formula& formula : formulas)
    xml += fmt::format("<f b:{}=\"{}\"/>", formula.is_display ? "block" : "inline",
                       html_escaped(formula.latex));
  return xml + "</formulas>";
}

std::string end_problem(std::string_view xml) {
  return trim(xml).ends_with("</formulas>") ? "" : "it ends too early";
}

// blahtexml exits with 1 if a formula is wrong; its output says which.
std::string run_blahtexml(const std::string& xml) {
  ToolSpec tool;
  tool.program = "sh";
  tool.package = "dash";
  tool.folder = std::filesystem::temp_directory_path();
  tool.arguments = {
      "-c",
      "command -v blahtexml || exit 127\n"
      "blahtexml --xmlin --spacing moderate --mathml-version-1-fonts "
      "--mathml-encoding raw --mathml-nsprefix-none <in.xml >out.xml || [ $? -eq 1 ]"};
  tool.files = {{"in.xml", xml}};
  tool.outputs = {{"out.xml", end_problem}};
  tool.time_limit = 20;
  const ToolResult result = run_tool(tool);
  if (result.exit.code == 127)
    throw Error(
        "formulas need blahtexml, which is not installed; on Debian: apt install blahtexml");
  if (!result.exit.succeeded())
    throw Error("blahtexml failed ({}): {}", result.exit.describe(), result.said);
  return result.outputs.front();
}

// Copies only the elements and attributes that MathML needs.
void write_mathml(const pugi::xml_node& node, std::string& html) {
  static const std::set<std::string_view> kElements = {
      "math",  "menclose", "mfrac",    "mi",          "mmultiscripts", "mn",     "mo",
      "mover", "mpadded",  "mphantom", "mprescripts", "mroot",         "mrow",   "mspace",
      "msqrt", "mstyle",   "msub",     "msubsup",     "msup",          "mtable", "mtd",
      "mtext", "mtr",      "munder",   "munderover",  "none"};
  static const std::set<std::string_view> kAttributes = {
      "accent",       "columnalign", "columnspacing", "depth",    "display",
      "displaystyle", "fontstyle",   "fontweight",    "height",   "linethickness",
      "lspace",       "mathcolor",   "maxsize",       "minsize",  "notation",
      "rowspacing",   "rspace",      "scriptlevel",   "stretchy", "width"};
  const std::string name = node.name();
  if (!kElements.contains(name)) throw Error("blahtexml wrote <{}>", printable(name));
  html += "<" + name;
  for (const pugi::xml_attribute& attribute : node.attributes()) {
    if (kAttributes.contains(attribute.name()))
      html += fmt::format(" {}=\"{}\"", attribute.name(), html_escaped(attribute.value()));
  }
  html += ">";
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() == pugi::node_element) {
      write_mathml(child, html);
    } else {
      const std::string_view text = child.value();
      html += html_escaped(name == "mo" && text == "-" ? "−" : text);
    }
  }
  html += "</" + name + ">";
}

// Finds dollars in running text, not in code and addresses, by paragraph, cell, heading or link.
class DollarFinder {
 public:
  struct Run {
    std::size_t begin = 0, size = 0;
    int block = 0;
  };

  explicit DollarFinder(std::string_view document) : document_(document) {}

  std::vector<Run> find() {
    MD_PARSER parser{};
    parser.flags = kMarkdownFlags;
    parser.enter_block = [](MD_BLOCKTYPE, void*, void* self) { return of(self).enter(); };
    parser.leave_block = [](MD_BLOCKTYPE, void*, void* self) { return of(self).enter(); };
    parser.enter_span = [](MD_SPANTYPE type, void*, void* self) {
      return is_link(type) ? of(self).enter() : 0;
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* self) {
      return is_link(type) ? of(self).leave_link() : 0;
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return type == MD_TEXT_NORMAL ? of(self).text({text, size}) : 0;
    };
    md_parse(document_.data(), static_cast<MD_SIZE>(document_.size()), &parser, this);
    return std::move(runs_);
  }

 private:
  static DollarFinder& of(void* self) { return *static_cast<DollarFinder*>(self); }
  static bool is_link(MD_SPANTYPE type) { return type == MD_SPAN_A || type == MD_SPAN_IMG; }

  int enter() {
    outer_.push_back(block_);
    block_ = ++blocks_;
    return 0;
  }

  // The text after a link belongs with the text before it.
  int leave_link() {
    block_ = outer_.back();
    outer_.pop_back();
    return 0;
  }

  int text(std::string_view text) {
    const bool is_of_document =
        std::less_equal<>{}(document_.data(), text.data()) &&
        std::less_equal<>{}(text.data() + text.size(), document_.data() + document_.size());
    if (!is_of_document) return 0;
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
  std::vector<int> outer_;  // blocks around this one
  int block_ = 0, blocks_ = 0;
};

// Pandoc's rule, extended to letters: "$5 and $6", "$HOME/$USER" and "US$5" are not formulas. Only
// ASCII letters count, because some languages write formulas without a space before them.
bool are_formula_ends(std::string_view text, const DollarFinder::Run& left,
                      const DollarFinder::Run& right) {
  if (left.block != right.block || left.size != right.size) return false;
  const std::size_t begin = left.begin, end = right.begin;
  if (left.size > 1) return left.size == 2;
  const bool touches_word = (begin > 0 && is_letter_or_digit(text[begin - 1])) ||
                            (end + 1 < text.size() && is_letter_or_digit(text[end + 1]));
  constexpr std::string_view kSpaces = " \t\r\n";
  return !touches_word && kSpaces.find(text[begin + 1]) == std::string_view::npos &&
         kSpaces.find(text[end - 1]) == std::string_view::npos;
}

// The formula without the marks of quotes around it: "> " at the beginning of a line.
std::string without_quote_marks(std::string_view latex) {
  std::string text;
  bool at_begin = false;
  for (const char c : latex) {
    at_begin = c == '\n' || (at_begin && (c == ' ' || c == '>'));
    if (!(at_begin && c == '>')) text += c;
  }
  return text;
}

// How many places of formulas md4c reports as text.
std::size_t places_in(const std::string& document) {
  std::size_t places = 0;
  MD_PARSER parser{};
  parser.flags = kMarkdownFlags;
  parser.enter_block = parser.leave_block = [](MD_BLOCKTYPE, void*, void*) { return 0; };
  parser.enter_span = parser.leave_span = [](MD_SPANTYPE, void*, void*) { return 0; };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR*, MD_SIZE, void* count) {
    *static_cast<std::size_t*>(count) += type == MD_TEXT_NULLCHAR;
    return 0;
  };
  md_parse(document.data(), static_cast<MD_SIZE>(document.size()), &parser, &places);
  return places;
}

}  // namespace

std::string take_formulas(std::string_view markdown, std::vector<Formula>& formulas) {
  std::string document;
  for (const char c : markdown) {
    if (c == kFormulaPlace)
      document += utf8_of(0);
    else
      document += c;
  }
  const std::vector<DollarFinder::Run> runs = DollarFinder(document).find();
  std::string taken;
  std::size_t done = 0;
  for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
    const DollarFinder::Run &left = runs[i], &right = runs[i + 1];
    if (!are_formula_ends(document, left, right)) continue;
    const std::size_t begin = left.begin + left.size;
    formulas.push_back(
        {without_quote_marks(document.substr(begin, right.begin - begin)), left.size == 2});
    taken += document.substr(done, left.begin - done) + kFormulaPlace;
    done = right.begin + right.size;
    ++i;
  }
  taken += document.substr(done);
  // Without a formula that has brackets or backquotes, the rest may read otherwise.
  if (formulas.empty() || places_in(taken) == formulas.size()) return taken;
  formulas.clear();
  return document;
}

std::vector<std::string> to_mathml(const std::vector<Formula>& formulas) {
  if (formulas.empty()) return {};
  const std::string xml = run_blahtexml(document_of(formulas));
  pugi::xml_document document;
  if (!document.load_string(xml.c_str(), pugi::parse_default | pugi::parse_ws_pcdata_single))
    throw Error("blahtexml wrote no XML");
  std::vector<std::string> elements;
  for (const pugi::xml_node& translation : document.document_element().children("f")) {
    const std::string& latex = formulas.at(elements.size()).latex;
    if (const pugi::xml_node error = translation.child("error"))
      throw Error("the formula '{}': {}", printable(latex), error.child_value());
    write_mathml(translation.child("math"), elements.emplace_back());
  }
  if (elements.size() != formulas.size()) throw Error("blahtexml left out a formula");
  return elements;
}

}  // namespace headway
