// Figures that become part of a page: what stays can neither run nor fetch anything.
#include "lib/report/inline_svg.h"

#include <pugixml.hpp>

#include "tests/fuzz/fuzz.h"

using namespace headway;

namespace {

void check_element(const pugi::xml_node& node, const std::string& svg) {
  const std::string_view name = node.name();
  fuzz::require(name != "script" && name != "foreignObject" && name != "iframe",
                "a figure has no scripts", svg);
  for (const pugi::xml_attribute& attribute : node.attributes()) {
    const std::string_view key = attribute.name(), value = attribute.value();
    fuzz::require(!key.starts_with("on"), "a figure has no event handlers", svg);
    fuzz::require(key != "href" || value.starts_with('#') || value.starts_with("data:image/"),
                  "a figure refers to nothing outside", svg);
  }
  for (const pugi::xml_node& child : node.children()) check_element(child, svg);
}

}  // namespace

FUZZ_TARGET(svg) {
  fuzz::accepts({"f.svg: "}, [&] {
    const std::string svg = inline_svg(input, "f@1-", "a \"label\"", "f.svg");
    pugi::xml_document document;
    fuzz::require(document.load_buffer(svg.data(), svg.size()), "a figure becomes well-formed",
                  svg);
    check_element(document.document_element(), svg);
  });
}
