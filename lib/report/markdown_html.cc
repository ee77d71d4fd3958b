#include "lib/report/markdown_html.h"

#include <fmt/format.h>
#include <md4c.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/formula.h"
#include "lib/report/markdown_dollars.h"
#include "lib/report/markdown_elements.h"
#include "lib/report/markdown_words.h"

namespace headway {
namespace {

// Placeholder for a formula until all are translated. md4c never passes this character on.
constexpr char kFormulaPlace = '\0';

class MarkdownRenderer {
 public:
  MarkdownRenderer(std::string_view document, HeadingIds& ids) : document_(document), ids_(ids) {}

  RenderedMarkdown take() {
    if (!spans_.empty()) throw Error("a link, an image or an emphasis does not end");
    std::string html;
    std::size_t done = 0;
    for (const std::string& mathml : to_mathml(formulas_)) {
      const std::size_t place = result_.html.find(kFormulaPlace, done);
      html += result_.html.substr(done, place - done) + mathml;
      done = place + 1;
    }
    result_.html = html + result_.html.substr(done);
    return std::move(result_);
  }

  void enter(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_UL:
        html() += "<ul>\n";
        break;
      case MD_BLOCK_OL:
        open_numbered(*static_cast<MD_BLOCK_OL_DETAIL*>(detail));
        break;
      case MD_BLOCK_LI:
        open_item(*static_cast<MD_BLOCK_LI_DETAIL*>(detail));
        break;
      case MD_BLOCK_HR:
        html() += "<hr/>\n";
        break;
      case MD_BLOCK_H:
        heading_ = OpenHeading{"", result_.text.size()};
        break;
      case MD_BLOCK_CODE:
        open_code(*static_cast<MD_BLOCK_CODE_DETAIL*>(detail));
        break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD:
        open_cell(type, *static_cast<MD_BLOCK_TD_DETAIL*>(detail));
        break;
      default:
        if (const std::string_view element = block_element(type); !element.empty())
          html() += fmt::format("<{}>{}", element, type == MD_BLOCK_P ? "" : "\n");
    }
  }

  void leave(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_HR:
        break;
      case MD_BLOCK_H:
        close_heading(static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level));
        break;
      case MD_BLOCK_CODE:
        html() += "</code></pre>\n";
        break;
      default:
        if (const std::string_view element = block_element(type); !element.empty())
          html() += fmt::format("</{}>\n", element);
    }
    result_.text += ' ';
  }

  void enter(MD_SPANTYPE type, void* detail) {
    spans_.push_back(type);
    switch (type) {
      case MD_SPAN_A:
        open_link(*static_cast<MD_SPAN_A_DETAIL*>(detail));
        break;
      case MD_SPAN_IMG:
        open_image(*static_cast<MD_SPAN_IMG_DETAIL*>(detail));
        break;
      case MD_SPAN_LATEXMATH:
      case MD_SPAN_LATEXMATH_DISPLAY:
        formula_.emplace();
        formula_begin_ = nullptr;
        break;
      default:
        html() += fmt::format("<{}>", span_element(type));
    }
  }

  void leave(MD_SPANTYPE type) {
    // If links and images overlap, md4c may close a link that it did not open.
    if (spans_.empty() || spans_.back() != type)
      throw Error("a link, an image or an emphasis ends inside of another");
    spans_.pop_back();
    switch (type) {
      case MD_SPAN_A:
      case MD_SPAN_IMG:
        close_link();
        break;
      case MD_SPAN_LATEXMATH:
        add_formula(/*display=*/false);
        break;
      case MD_SPAN_LATEXMATH_DISPLAY:
        add_formula(/*display=*/true);
        break;
      default:
        html() += fmt::format("</{}>", span_element(type));
    }
  }

  void text(MD_TEXTTYPE type, std::string_view text) {
    switch (type) {
      case MD_TEXT_BR:
        html() += "<br/>";
        add("\n");
        break;
      case MD_TEXT_SOFTBR:
        add("\n");
        break;
      case MD_TEXT_NULLCHAR:
        add(utf8_of(0));
        break;
      case MD_TEXT_ENTITY:
        add(entity_text(text));
        break;
      case MD_TEXT_CODE:
        add(text);
        break;
      case MD_TEXT_LATEXMATH:
        if (formula_begin_ == nullptr) formula_begin_ = text.data();
        formula_end_ = text.data() + text.size();
        add(text);
        break;
      default:
        add(text, with_unbroken_percents(last_, text));
    }
    if (!text.empty()) last_ = text.back();
  }

 private:
  struct OpenHeading {
    std::string html;
    std::size_t text_begin = 0;  // in the result's text
  };
  struct OpenLink {
    bool is_element = false;
    std::string instead_of_nothing;  // text for an empty link
    std::size_t begin = 0;
  };

  // A heading is buffered until its end, because its id depends on its text.
  std::string& html() { return heading_ ? heading_->html : result_.html; }

  void add(std::string_view text) { add(text, text); }

  // `display` is shown on the page; a heading's id is made from `text`.
  void add(std::string_view text, std::string_view display) {
    if (formula_) {
      *formula_ += text;
      return;
    }
    html() += html_escaped(display);
    result_.text += text == "\n" ? " " : text;
  }

  void open_numbered(const MD_BLOCK_OL_DETAIL& list) {
    html() += list.start == 1 ? "<ol>\n" : fmt::format("<ol start=\"{}\">\n", list.start);
  }

  void open_item(const MD_BLOCK_LI_DETAIL& item) {
    if (!item.is_task) {
      html() += "<li>";
      return;
    }
    html() += fmt::format(R"(<li class="task"><input type="checkbox" disabled="disabled"{}/> )",
                          item.task_mark == ' ' ? "" : " checked=\"checked\"");
  }

  void open_code(const MD_BLOCK_CODE_DETAIL& code) {
    const std::string language = attribute_text(code.lang);
    html() += language.empty()
                  ? "<pre><code>"
                  : fmt::format("<pre><code class=\"language-{}\">", html_escaped(language));
  }

  void open_cell(MD_BLOCKTYPE type, const MD_BLOCK_TD_DETAIL& cell) {
    static constexpr const char* kClasses[] = {"", " class=\"align-left\"",
                                               " class=\"align-center\"", " class=\"align-right\""};
    html() += fmt::format("<{}{}{}>", block_element(type),
                          type == MD_BLOCK_TH ? " scope=\"col\"" : "", kClasses[cell.align]);
  }

  void close_heading(int level) {
    const OpenHeading heading = *std::exchange(heading_, std::nullopt);
    const std::string text = result_.text.substr(heading.text_begin);
    const std::string id = ids_.id_for(text);
    html() += fmt::format("<h{0} id=\"{1}\">{2}</h{0}>\n", level, html_escaped(id), heading.html);
    result_.headings.push_back({level, id, std::string(trim(text))});
  }

  void open_link(const MD_SPAN_A_DETAIL& link) {
    open_link(harmless_address(attribute_text(link.href)), attribute_text(link.title), "");
  }

  void open_image(const MD_SPAN_IMG_DETAIL& image) {
    const std::string source = attribute_text(image.src);
    open_link(harmless_address(source), attribute_text(image.title), source);
  }

  // Links cannot be nested, but an image, which becomes a link, may be inside one.
  void open_link(const std::string& address, const std::string& title, const std::string& instead) {
    const bool inside = std::any_of(links_.begin(), links_.end(),
                                    [](const OpenLink& link) { return link.is_element; });
    const bool is_element = !address.empty() && !inside;
    if (is_element) {
      html() += fmt::format("<a href=\"{}\"", html_escaped(address));
      if (!title.empty()) html() += fmt::format(" title=\"{}\"", html_escaped(title));
      html() += ">";
    }
    links_.push_back({is_element, instead, html().size()});
  }

  void close_link() {
    const OpenLink link = links_.back();
    links_.pop_back();
    if (html().size() == link.begin) add(link.instead_of_nothing);
    if (link.is_element) html() += "</a>";
  }

  // False if md4c paired dollars that we do not: in links, and across emphasis.
  bool is_formula() const {
    if (formula_begin_ == nullptr) return true;
    const auto begin = static_cast<std::size_t>(formula_begin_ - document_.data());
    const auto end = static_cast<std::size_t>(formula_end_ - document_.data());
    return opens_formula(document_, begin - 1) && closes_formula(document_, end);
  }

  void add_formula(bool display) {
    const std::string latex = *std::exchange(formula_, std::nullopt);
    if (!display && !is_formula()) {
      add("$" + latex + "$");
      return;
    }
    html() += kFormulaPlace;
    formulas_.push_back({latex, display});
    result_.text += latex;
  }

  std::string_view document_;
  HeadingIds& ids_;
  RenderedMarkdown result_;
  std::optional<OpenHeading> heading_;
  std::vector<Formula> formulas_;        // in order of appearance
  std::optional<std::string> formula_;   // the open one
  const char* formula_begin_ = nullptr;  // in the document
  const char* formula_end_ = nullptr;
  char last_ = ' ';                 // the last character
  std::vector<MD_SPANTYPE> spans_;  // open spans
  std::vector<OpenLink> links_;
};

// md4c is C, so exceptions must not leave a callback: they are stored and rethrown afterwards.
struct MarkdownCalls {
  MarkdownRenderer renderer;
  std::exception_ptr thrown;

  template <typename Call>
  static int guarded(void* self, Call call) {
    auto& calls = *static_cast<MarkdownCalls*>(self);
    try {
      call(calls.renderer);
      return 0;
    } catch (...) {
      calls.thrown = std::current_exception();
      return 1;
    }
  }
};

MD_PARSER markdown_parser() {
  MD_PARSER parser{};
  parser.flags = kMarkdownFlags;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* calls) {
    return MarkdownCalls::guarded(calls, [&](auto& renderer) { renderer.enter(type, detail); });
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void* detail, void* calls) {
    return MarkdownCalls::guarded(calls, [&](auto& renderer) { renderer.leave(type, detail); });
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* calls) {
    return MarkdownCalls::guarded(calls, [&](auto& renderer) { renderer.enter(type, detail); });
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* calls) {
    return MarkdownCalls::guarded(calls, [&](auto& renderer) { renderer.leave(type); });
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* calls) {
    return MarkdownCalls::guarded(
        calls, [&](auto& renderer) { renderer.text(type, std::string_view(text, size)); });
  };
  return parser;
}

}  // namespace

std::string HeadingIds::id_for(std::string_view text) {
  const std::string words = heading_words(text);
  std::string id = words;
  while (used_.contains(id)) id = fmt::format("{}-{}", words, ++used_[words]);
  used_.emplace(id, 0);
  return id;
}

RenderedMarkdown render_markdown(std::string_view markdown, HeadingIds& ids,
                                 const std::string& name) {
  if (markdown.size() > std::numeric_limits<MD_SIZE>::max() / 2)
    throw Error(fmt::format("{}: too large for a text", name));
  const std::string document = with_plain_dollars_escaped(markdown);
  MarkdownCalls calls{MarkdownRenderer(document, ids), nullptr};
  const MD_PARSER parser = markdown_parser();
  const int failed =
      md_parse(document.data(), static_cast<MD_SIZE>(document.size()), &parser, &calls);
  try {
    if (calls.thrown) std::rethrow_exception(calls.thrown);
    if (failed != 0) throw Error("cannot be read as Markdown");
    return calls.renderer.take();
  } catch (const Error& error) {
    throw error.within(name);
  }
}

}  // namespace headway
