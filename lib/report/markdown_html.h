// Markdown (CommonMark with GitHub's tables, and $formulas$) to HTML, by md4c. Nothing in the text
// reaches the page as markup: raw HTML is shown as text, links lead to the page itself, to files or
// to http(s), and images, which would be fetched, become links.
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

// Ids of headings, unique over a page however many texts it is made of.
class HeadingIds {
 public:
  std::string id_for(std::string_view text);  // "What pruning says" -> "what-pruning-says"

 private:
  std::map<std::string, int> used_;
};

struct RenderedMarkdown {
  std::string html;
  std::vector<Heading> headings;  // in order
};

// An Error, introduced by `name`, where a formula is wrong.
RenderedMarkdown render_markdown(std::string_view markdown, HeadingIds& ids,
                                 const std::string& name);

}  // namespace headway
