#include "lib/report/formula.h"

#include <fmt/format.h>

#include <pugixml.hpp>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/base/tool.h"
#include "lib/report/escape.h"

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
    throw Error(fmt::format("blahtexml failed ({}): {}", result.exit.describe(), result.said));
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
  if (!kElements.contains(name)) throw Error(fmt::format("blahtexml wrote <{}>", printable(name)));
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

}  // namespace

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
      throw Error(fmt::format("the formula '{}': {}", printable(latex), error.child_value()));
    write_mathml(translation.child("math"), elements.emplace_back());
  }
  if (elements.size() != formulas.size()) throw Error("blahtexml left out a formula");
  return elements;
}

}  // namespace headway
