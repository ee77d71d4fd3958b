// What of SVG may stand in a page. A list of what is allowed, because a list of what is dangerous
// is never complete.
#pragma once

#include <string_view>
#include <unordered_set>

namespace headway {

using SvgNames = std::unordered_set<std::string_view>;

inline const SvgNames& svg_elements() {
  static const SvgNames kElements = {
      "svg",
      "g",
      "defs",
      "symbol",
      "use",
      "switch",
      "a",
      "title",
      "desc",
      "style",
      "path",
      "rect",
      "circle",
      "ellipse",
      "line",
      "polyline",
      "polygon",
      "text",
      "tspan",
      "image",
      "textPath",
      "clipPath",
      "mask",
      "marker",
      "pattern",
      "stop",
      "linearGradient",
      "radialGradient",
      "filter",
      "feBlend",
      "feFlood",
      "feMerge",
      "feMergeNode",
      "feColorMatrix",
      "feOffset",
      "feComposite",
      "feGaussianBlur",
  };
  return kElements;
}

// Their values are CSS; the same names are the properties that a style may set.
inline const SvgNames& svg_properties() {
  static const SvgNames kProperties = {
      "alignment-baseline",
      "baseline-shift",
      "clip-path",
      "clip-rule",
      "color",
      "direction",
      "display",
      "dominant-baseline",
      "fill",
      "fill-opacity",
      "fill-rule",
      "filter",
      "flood-color",
      "flood-opacity",
      "font",
      "font-family",
      "font-size",
      "font-stretch",
      "font-style",
      "font-variant",
      "font-weight",
      "image-rendering",
      "letter-spacing",
      "marker-end",
      "marker-mid",
      "marker-start",
      "mask",
      "mix-blend-mode",
      "opacity",
      "overflow",
      "paint-order",
      "shape-rendering",
      "stop-color",
      "stop-opacity",
      "stroke",
      "stroke-dasharray",
      "stroke-dashoffset",
      "stroke-linecap",
      "stroke-linejoin",
      "stroke-miterlimit",
      "stroke-opacity",
      "stroke-width",
      "text-anchor",
      "text-decoration",
      "text-rendering",
      "transform",
      "transform-origin",
      "vector-effect",
      "visibility",
      "white-space",
      "word-spacing",
      "writing-mode",
  };
  return kProperties;
}

// Numbers, words and texts; nothing in them is followed or run.
inline const SvgNames& svg_attributes() {
  static const SvgNames kAttributes = {
      "aria-hidden",
      "aria-label",
      "class",
      "clipPathUnits",
      "cx",
      "cy",
      "d",
      "dx",
      "dy",
      "filterUnits",
      "fx",
      "fy",
      "gradientTransform",
      "gradientUnits",
      "height",
      "in",
      "in2",
      "k1",
      "k2",
      "k3",
      "k4",
      "lang",
      "lengthAdjust",
      "markerHeight",
      "markerUnits",
      "markerWidth",
      "maskContentUnits",
      "maskUnits",
      "mode",
      "offset",
      "operator",
      "orient",
      "pathLength",
      "patternContentUnits",
      "patternTransform",
      "patternUnits",
      "points",
      "preserveAspectRatio",
      "primitiveUnits",
      "r",
      "refX",
      "refY",
      "result",
      "role",
      "rotate",
      "rx",
      "ry",
      "spreadMethod",
      "startOffset",
      "stdDeviation",
      "textLength",
      "type",
      "values",
      "viewBox",
      "width",
      "x",
      "x1",
      "x2",
      "xml:space",
      "y",
      "y1",
      "y2",
  };
  return kAttributes;
}

// Lists of ids of this drawing.
inline const SvgNames& svg_id_lists() {
  static const SvgNames kLists = {"aria-labelledby", "aria-describedby", "aria-details",
                                  "aria-controls", "aria-owns"};
  return kLists;
}

// What may be called in a CSS value, besides url() of an id of this drawing.
// Lower-case.
inline const SvgNames& svg_functions() {
  static const SvgNames kFunctions = {"rgb",    "rgba",   "hsl",    "hsla",       "matrix",
                                      "rotate", "scale",  "skewx",  "skewy",      "translate",
                                      "calc",   "scalex", "scaley", "translatex", "translatey"};
  return kFunctions;
}

}  // namespace headway
