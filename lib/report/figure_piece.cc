#include "lib/report/figure_piece.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <pugixml.hpp>
#include <sstream>

#include "lib/base/error.h"
#include "lib/base/picture.h"
#include "lib/base/text.h"
#include "lib/report/escape.h"
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
  // Rendered Markdown is already a paragraph.
  if (line.starts_with("<p>")) return fmt::format("<p class=\"origin\">{}", line.substr(3));
  return fmt::format("<p class=\"origin\">{}</p>", line);
}

// Keeps letters, digits and the characters in `plain`; other bytes become %XX.
std::string percent_encoded(std::string_view text, std::string_view plain) {
  std::string encoded;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || plain.find(c) != std::string_view::npos;
    if (is_plain)
      encoded += c;
    else
      fmt::format_to(std::back_inserter(encoded), "%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

// An <img> runs no script, fetches nothing and has no links, whatever the SVG contains. Uses
// percent encoding because Base64 is longer.
std::string image_element(std::string_view svg, const std::string& label) {
  return fmt::format("<img alt=\"{}\" src=\"data:image/svg+xml,{}\"/>", html_escaped(label),
                     percent_encoded(svg, " -_.,:;/='()!*?@$~|"));
}

// The width in pixels from the viewBox or width of the SVG; 0: unknown.
double natural_width(const pugi::xml_node& root) {
  double x = 0, y = 0, width = 0;
  std::string box = root.attribute("viewBox").value();
  std::replace(box.begin(), box.end(), ',', ' ');
  std::istringstream numbers(box);
  if (!(numbers >> x >> y >> width)) width = root.attribute("width").as_double();
  return width > 0 && width < 1e5 ? width : 0;
}

// Limits the picture on the page to its natural width. Throws Error if the SVG is incomplete.
std::string natural_width_style(std::string_view svg, const std::string& name) {
  if (const std::string problem = svg_problem(svg); !problem.empty())
    throw Error(fmt::format("{}: no SVG: {}", name, problem));
  pugi::xml_document document;
  document.load_buffer(svg.data(), svg.size());
  const pugi::xml_node root = document.document_element();
  if (root.attribute("xmlns").value() != std::string_view("http://www.w3.org/2000/svg"))
    throw Error(fmt::format("{}: no SVG: xmlns=\"http://www.w3.org/2000/svg\" is missing", name));
  const double width = natural_width(root);
  return width > 0 ? fmt::format(" style=\"--natural: {:.0f}px\"", width) : "";
}

std::string markdown_block(std::string_view markdown) {
  const std::string_view text = trim(markdown);
  return text.empty() ? "" : fmt::format("\n{}\n", text);
}

}  // namespace

std::string caption_text(const std::string& caption, const std::string& name) {
  HeadingIds ids;
  return std::string(trim(render_markdown(caption, ids, name).text));
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
  const std::string style = natural_width_style(figure.svg, figure.name);
  const Piece caption = caption_piece(figure.caption, figure.origin, figure.name);
  Piece piece;
  // GitHub does not show an image's alternative text, so the caption is repeated below.
  piece.markdown = fmt::format("![{}]({})\n{}", markdown_escaped(label),
                               percent_encoded(figure.file, "-_./@,="), caption.markdown);
  piece.html =
      fmt::format("<figure class=\"figure\" id=\"{}\">\n<div class=\"picture\"{}>{}</div>\n",
                  html_escaped(figure.id), style, image_element(figure.svg, label));
  if (!caption.html.empty())
    piece.html += fmt::format("<figcaption>\n{}</figcaption>\n", caption.html);
  piece.html += "</figure>\n";
  return piece;
}

}  // namespace headway
