// Converts Markdown (CommonMark, GitHub tables and $formulas$) to HTML with md4c. Unlike md4c's
// renderer, it treats raw HTML as text, links only to the page, files or http(s), turns images into
// links, because they would be fetched, and gives headings ids.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headway {

struct Heading {
  int level = 1;
  std::string id;
  std::string text;  // plain
};

// Makes heading ids that are unique in a page.
class HeadingIds {
 public:
  std::string id_for(std::string_view text);  // "What pruning says" -> "what-pruning-says"

 private:
  std::map<std::string, int> used_;
};

struct RenderedMarkdown {
  std::string html;
  std::string text;               // without markup; formulas as LaTeX
  std::vector<Heading> headings;  // in order
};

// Throws Error that begins with `name` if a formula is wrong or the text cannot be rendered.
RenderedMarkdown render_markdown(std::string_view markdown, HeadingIds& ids,
                                 const std::string& name);
// The same for a text that is a page of its own, or is only checked.
RenderedMarkdown render_markdown(std::string_view markdown, const std::string& name);

struct Formula {
  std::string latex;
  bool is_display = false;  // on a line of its own
};

// Converts LaTeX to MathML with the program blahtexml; browsers draw MathML themselves. Gives a
// <math> element for each formula; formulas cannot inject other markup. Throws Error that names
// the wrong formula, or says that blahtexml is not installed.
std::vector<std::string> to_mathml(const std::vector<Formula>& formulas);

}  // namespace headway
