#include "lib/report/figure_piece.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/inline_svg.h"
#include "lib/report/markdown_html.h"

namespace headway {
namespace {

std::string caption_html_of(const std::string& caption, const std::string& name) {
  HeadingIds ids;
  return render_markdown(caption, ids, name).html;
}

std::string origin_html(const Piece& origin, const std::string& name) {
  const std::string html =
      origin.html.empty() ? caption_html_of(origin.markdown, name) : origin.html;
  const std::string_view line = trim(html);
  if (line.empty() || line.starts_with("<p class=\"origin\"")) return std::string(line);
  // What Markdown renders to is a paragraph of its own already.
  if (line.starts_with("<p>")) return fmt::format("<p class=\"origin\">{}", line.substr(3));
  return fmt::format("<p class=\"origin\">{}</p>", line);
}

std::string without_tags(std::string_view html) {
  std::string text;
  bool is_tag = false;
  for (const char c : html) {
    if (c == '<') is_tag = true;
    if (!is_tag) text += c;
    if (c == '>') is_tag = false;
  }
  return text;
}

std::string without_entities(std::string_view html) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kEntities = {{
      {"&amp;", "&"},
      {"&lt;", "<"},
      {"&gt;", ">"},
      {"&quot;", "\""},
      {"&#39;", "'"},
      {"&#x27;", "'"},
  }};
  std::string text;
  while (!html.empty()) {
    std::string_view entity, sign = html.substr(0, 1);
    for (const auto& [name, meaning] : kEntities) {
      if (html.starts_with(name)) entity = name, sign = meaning;
    }
    text += sign;
    html.remove_prefix(entity.empty() ? 1 : entity.size());
  }
  return text;
}

// Everything in a name that could end or bend a link is written as %XX.
std::string link_target(std::string_view path) {
  std::string target;
  for (const char c : path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') ||
                          std::string_view("-_./@,=").find(c) != std::string_view::npos;
    target += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return target;
}

// How wide the picture wants to be, by its viewBox: small ones are not blown up.
double natural_width(std::string_view svg) {
  const std::string_view element = svg.substr(0, svg.find('>'));
  const std::size_t at = element.find("viewBox=\"");
  if (at == std::string_view::npos) return 0;
  const std::string_view box = element.substr(at + 9, element.find('"', at + 9) - at - 9);
  std::vector<std::string> numbers;
  for (const std::string& number : split(box, ' ')) {
    if (!number.empty()) numbers.push_back(number);
  }
  if (numbers.size() != 4) return 0;
  char* end = nullptr;
  const double width = std::strtod(numbers[2].c_str(), &end);
  return *end == '\0' && width > 0 && width < 1e5 ? width : 0;
}

std::string natural_width_style(std::string_view svg) {
  const double width = natural_width(svg);
  return width > 0 ? fmt::format(" style=\"--natural: {:.0f}px\"", width) : "";
}

std::string markdown_block(std::string_view markdown) {
  const std::string_view text = trim(markdown);
  return text.empty() ? "" : fmt::format("\n{}\n", text);
}

}  // namespace

std::string caption_text(const std::string& caption, const std::string& name) {
  return std::string(trim(without_entities(without_tags(caption_html_of(caption, name)))));
}

Piece caption_piece(const std::string& caption, const Piece& origin, const std::string& name) {
  Piece piece;
  piece.markdown = markdown_block(caption) + markdown_block(origin.markdown);
  const std::string html(trim(caption_html_of(caption, name)));
  if (!html.empty()) piece.html = fmt::format("<div class=\"caption\">{}</div>\n", html);
  const std::string line = origin_html(origin, name);
  if (!line.empty()) piece.html += line + "\n";
  return piece;
}

Piece figure_piece(const FigureInReport& figure) {
  const std::string text = caption_text(figure.caption, figure.name);
  const std::string label = text.empty() ? figure.name : text;
  const std::string svg = inline_svg(figure.svg, figure.id + "_", label, figure.name);
  const Piece caption = caption_piece(figure.caption, figure.origin, figure.name);
  Piece piece;
  // GitHub shows no alternative texts, so the caption stands below it as well.
  piece.markdown = fmt::format("![{}]({})\n{}", markdown_escaped(label), link_target(figure.file),
                               caption.markdown);
  piece.html =
      fmt::format("<figure class=\"figure\" id=\"{}\">\n<div class=\"picture\"{}>{}</div>\n",
                  html_escaped(figure.id), natural_width_style(svg), svg);
  if (!caption.html.empty())
    piece.html += fmt::format("<figcaption>\n{}</figcaption>\n", caption.html);
  piece.html += "</figure>\n";
  return piece;
}

}  // namespace headway
