// A figure made part of a page: SVG without what could run, fetch or clash with other figures.
#pragma once

#include <string>
#include <string_view>

namespace headway {

// The <svg> element, called `prefix` + "svg" unless it has an id. Scripts, event handlers, foreign
// objects and references to the outside are gone; ids, and what refers to them, get `prefix` (as a
// name of CSS: "maps@0-" becomes "maps_400-"), links to ids of the page stay; a <style> is for this
// drawing alone; width and height become a viewBox and a max-width, so that it fits where it
// stands; `label` is what screen readers say. An Error, introduced by `name`, where it is no SVG.
std::string inline_svg(std::string_view svg, const std::string& prefix, const std::string& label,
                       const std::string& name);

// The same as a file of its own, for whoever opens it directly.
std::string svg_file(std::string_view svg, const std::string& label, const std::string& name);

}  // namespace headway
