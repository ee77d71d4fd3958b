// Markdown (CommonMark with GitHub's tables, and $formulas$) to HTML, by md4c. Nothing in the text
// becomes markup of its own: raw HTML is text, links lead to the page, to files or to http(s), and
// images become links, because they would be fetched. (md4c's own renderer does none of this, and
// gives headings no ids.)
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

// Makes the ids of headings, unique in a page of many texts.
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

}  // namespace headway
