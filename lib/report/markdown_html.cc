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
#include "lib/report/markdown_words.h"

namespace headway {
namespace {

// The elements of blocks (MD_BLOCKTYPE) and spans (MD_SPANTYPE); empty if it needs more than one.
constexpr std::string_view kBlockElements[] = {"",      "blockquote", "ul", "ol", "li",    "",
                                               "",      "",           "",   "p",  "table", "thead",
                                               "tbody", "tr",         "th", "td"};
constexpr std::string_view kSpanElements[] = {"em", "strong", "", "", "code", "del"};

class MarkdownRenderer {
 public:
  MarkdownRenderer(const std::vector<Formula>& formulas, HeadingIds& ids)
      : formulas_(formulas), ids_(ids) {}

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
      case MD_BLOCK_OL:
        html() += numbered_list(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start);
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
        if (const std::string_view element = kBlockElements[type]; !element.empty())
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
        if (const std::string_view element = kBlockElements[type]; !element.empty())
          html() += fmt::format("</{}>\n", element);
    }
    result_.text += ' ';
  }

  void enter(MD_SPANTYPE type, void* detail) {
    spans_.push_back(type);
    if (type == MD_SPAN_A) {
      const auto& link = *static_cast<MD_SPAN_A_DETAIL*>(detail);
      open_link(attribute_text(link.href), attribute_text(link.title), "");
    } else if (type == MD_SPAN_IMG) {
      const auto& image = *static_cast<MD_SPAN_IMG_DETAIL*>(detail);
      open_link(attribute_text(image.src), attribute_text(image.title), attribute_text(image.src));
    } else {
      html() += fmt::format("<{}>", kSpanElements[type]);
    }
  }

  void leave(MD_SPANTYPE type) {
    // If links and images overlap, md4c may close a link that it did not open.
    if (spans_.empty() || spans_.back() != type)
      throw Error("a link, an image or an emphasis ends inside of another");
    spans_.pop_back();
    if (type == MD_SPAN_A || type == MD_SPAN_IMG)
      close_link();
    else
      html() += fmt::format("</{}>", kSpanElements[type]);
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
      case MD_TEXT_NULLCHAR:  // a formula; all are translated at the end
        html() += kFormulaPlace;
        text = formulas_[next_formula_++].latex;
        result_.text += text;
        break;
      case MD_TEXT_ENTITY:
        add(entity_text(text));
        break;
      case MD_TEXT_CODE:
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
    html() += html_escaped(display);
    result_.text += text == "\n" ? " " : text;
  }

  static std::string numbered_list(unsigned start) {
    return start == 1 ? "<ol>\n" : fmt::format("<ol start=\"{}\">\n", start);
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
    html() += fmt::format("<{}{}{}>", kBlockElements[type],
                          type == MD_BLOCK_TH ? " scope=\"col\"" : "", kClasses[cell.align]);
  }

  void close_heading(int level) {
    const OpenHeading heading = *std::exchange(heading_, std::nullopt);
    const std::string text = result_.text.substr(heading.text_begin);
    const std::string id = ids_.id_for(text);
    html() += fmt::format("<h{0} id=\"{1}\">{2}</h{0}>\n", level, html_escaped(id), heading.html);
    result_.headings.push_back({level, id, std::string(trim(text))});
  }

  // Links cannot be nested, but an image, which becomes a link, may be inside one.
  void open_link(std::string_view target, const std::string& title, const std::string& instead) {
    const std::string address = harmless_address(target);
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

  const std::vector<Formula>& formulas_;  // in order of appearance
  std::size_t next_formula_ = 0;
  HeadingIds& ids_;
  RenderedMarkdown result_;
  std::optional<OpenHeading> heading_;
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
    throw Error("{}: too large for a text", name);
  std::vector<Formula> formulas;
  const std::string document = take_formulas(markdown, formulas);
  MarkdownCalls calls{MarkdownRenderer(formulas, ids), nullptr};
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

RenderedMarkdown render_markdown(std::string_view markdown, const std::string& name) {
  HeadingIds ids;
  return render_markdown(markdown, ids, name);
}

}  // namespace headway
