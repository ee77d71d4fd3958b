#include "lib/report/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

#include "lib/base/error.h"
#include "lib/base/picture.h"
#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/markdown_html.h"

namespace headway {
namespace {

// An <img> runs no script, fetches nothing and has no links, whatever the SVG contains. Uses
// percent encoding because Base64 is longer.
std::string image_element(std::string_view svg, const std::string& label) {
  return fmt::format("<img alt=\"{}\" src=\"data:image/svg+xml,{}\"/>", html_escaped(label),
                     bytes_escaped(svg, " -_.,:;/='()!*?@$~|", "%{:02X}"));
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
    throw Error("{}: no SVG: {}", name, problem);
  pugi::xml_document document;
  document.load_buffer(svg.data(), svg.size());
  const pugi::xml_node root = document.document_element();
  if (root.attribute("xmlns").value() != std::string_view("http://www.w3.org/2000/svg"))
    throw Error("{}: no SVG: xmlns=\"http://www.w3.org/2000/svg\" is missing", name);
  const double width = natural_width(root);
  return width > 0 ? fmt::format(" style=\"--natural: {:.0f}px\"", width) : "";
}

std::string markdown_block(std::string_view markdown) {
  const std::string_view text = trim(markdown);
  return text.empty() ? "" : fmt::format("\n{}\n", text);
}

}  // namespace

std::string caption_text(const std::string& caption, const std::string& name) {
  return std::string(trim(render_markdown(caption, name).text));
}

Piece caption_piece(const std::string& caption, const Piece& origin, const std::string& name) {
  Piece piece;
  piece.markdown = markdown_block(caption) + markdown_block(origin.markdown);
  const std::string html = render_markdown(caption, name).html;
  if (!html.empty()) piece.html = fmt::format("<div class=\"caption\">{}</div>\n", trim(html));
  if (!origin.html.empty())
    piece.html += fmt::format("<p class=\"origin\">{}</p>\n", trim(origin.html));
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
                               bytes_escaped(figure.file, "-_./@,=", "%{:02X}"), caption.markdown);
  piece.html =
      fmt::format("<figure class=\"figure\" id=\"{}\">\n<div class=\"picture\"{}>{}</div>\n",
                  html_escaped(figure.id), style, image_element(figure.svg, label));
  if (!caption.html.empty())
    piece.html += fmt::format("<figcaption>\n{}</figcaption>\n", caption.html);
  piece.html += "</figure>\n";
  return piece;
}

}  // namespace headway
