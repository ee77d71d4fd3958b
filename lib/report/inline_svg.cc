#include "lib/report/inline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <span>
#include <utility>
#include <vector>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/svg_allowed.h"
#include "lib/report/svg_css.h"

namespace headway {
namespace {

constexpr int kDeepestSvg = 200;
constexpr std::size_t kMostSvgElements = 1'000'000;

bool is_svg_element(const pugi::xml_node& node) {
  return node.type() == pugi::node_element && svg_elements().contains(node.name());
}

bool is_svg_text(std::string_view element) {
  return element == "text" || element == "title" || element == "desc" || element == "style";
}

std::string_view svg_reference(const pugi::xml_node& node) {
  const pugi::xml_attribute plain = node.attribute("href");
  return plain ? plain.value() : node.attribute("xlink:href").value();
}

void parse_svg(pugi::xml_document& document, std::string_view svg) {
  if (!is_utf8(svg) || svg.find('\0') != std::string_view::npos) throw Error("no SVG: not UTF-8");
  constexpr unsigned kOptions = pugi::parse_cdata | pugi::parse_escapes | pugi::parse_ws_pcdata |
                                pugi::parse_eol | pugi::parse_wconv_attribute | pugi::parse_doctype;
  const pugi::xml_parse_result parsed =
      document.load_buffer(svg.data(), svg.size(), kOptions, pugi::encoding_utf8);
  if (parsed) return;
  const auto end = svg.begin() + std::min<std::ptrdiff_t>(parsed.offset, std::ssize(svg));
  std::string problem = parsed.description();
  if (!problem.empty()) problem.front() = static_cast<char>(problem.front() | 0x20);
  throw Error(
      fmt::format("no SVG: {}, in line {}", problem, 1 + std::count(svg.begin(), end, '\n')));
}

pugi::xml_node root_of(const pugi::xml_document& document) {
  int roots = 0;
  for (const pugi::xml_node& node : document.children()) {
    // Entities unfold; nobody who draws needs them.
    if (node.type() == pugi::node_doctype && std::strchr(node.value(), '[') != nullptr)
      throw Error("declares entities, which no figure needs");
    if (node.type() == pugi::node_element) ++roots;
  }
  const pugi::xml_node root = document.document_element();
  if (root.name() != std::string_view("svg"))
    throw Error(fmt::format("no SVG: its root is <{}>", printable(root.name())));
  const pugi::xml_attribute space = root.attribute("xmlns");
  if (space && space.value() != std::string_view("http://www.w3.org/2000/svg"))
    throw Error(fmt::format("no SVG: its namespace is '{}'", printable(space.value())));
  if (roots != 1) throw Error("no SVG: there is more behind its root");
  return root;
}

// The ids of all that stays.
void collect_ids(const pugi::xml_node& node, int depth, SvgIds& ids) {
  if (depth > kDeepestSvg)
    throw Error(fmt::format("nested more than {} elements deep", kDeepestSvg));
  if (const pugi::xml_attribute id = node.attribute("id")) ids.known.emplace(id.value());
  for (const pugi::xml_node& child : node.children()) {
    if (is_svg_element(child)) collect_ids(child, depth + 1, ids);
  }
}

// <use> draws what it refers to once more, and that may have a <use> in it: a few lines can unfold
// to more than a browser can hold.
class SvgUnfolding {
 public:
  explicit SvgUnfolding(const pugi::xml_node& root) { gather(root); }

  std::size_t size(const pugi::xml_node& node, int depth = 0) {
    if (depth > kDeepestSvg) throw Error("its <use> elements refer to one another in a circle");
    std::size_t elements = 1;
    for (const pugi::xml_node& child : node.children()) {
      if (is_svg_element(child)) elements += size(child, depth + 1);
      limit(elements);
    }
    if (node.name() == std::string_view("use")) elements += size_of_target(node, depth);
    limit(elements);
    return elements;
  }

 private:
  struct Target {
    pugi::xml_node node;
    std::size_t size = 0;  // 0: not counted yet
  };

  static void limit(std::size_t elements) {
    if (elements > kMostSvgElements)
      throw Error(
          fmt::format("its <use> elements unfold to more than {} elements", kMostSvgElements));
  }

  void gather(const pugi::xml_node& node) {
    if (const pugi::xml_attribute id = node.attribute("id"))
      targets_.try_emplace(id.value(), Target{node});
    for (const pugi::xml_node& child : node.children()) {
      if (is_svg_element(child)) gather(child);
    }
  }

  std::size_t size_of_target(const pugi::xml_node& use, int depth) {
    const std::string_view reference = trim(svg_reference(use));
    if (!reference.starts_with('#')) return 0;
    const auto found = targets_.find(reference.substr(1));
    if (found == targets_.end()) return 0;
    if (found->second.size == 0) found->second.size = size(found->second.node, depth + 1);
    return found->second.size;
  }

  std::map<std::string, Target, std::less<>> targets_;
};

// Pixels; nothing where it is relative or no length.
std::optional<double> svg_length(std::string_view text) {
  static const std::map<std::string_view, double> kUnits = {
      {"", 1},    {"px", 1},         {"pt", 96.0 / 72}, {"pc", 16},
      {"in", 96}, {"cm", 96 / 2.54}, {"mm", 96 / 25.4},
  };
  text = trim(text);
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || !std::isfinite(value) || value <= 0) return std::nullopt;
  const auto unit = kUnits.find(text.substr(static_cast<std::size_t>(read.ptr - text.data())));
  if (unit == kUnits.end()) return std::nullopt;
  return value * unit->second;
}

// Pictures that are part of the drawing: gnuplot's maps are such.
bool is_inner_picture(std::string_view address) {
  for (const std::string_view kind : {"data:image/png;base64,", "data:image/jpeg;base64,"}) {
    if (!address.starts_with(kind)) continue;
    return std::all_of(address.begin() + std::ssize(kind), address.end(), [](char c) {
      return is_css_word(c) || c == '+' || c == '/' || c == '=' || c == ' ';
    });
  }
  return false;
}

class SvgWriter {
 public:
  explicit SvgWriter(const SvgIds& ids) : ids_(ids) {}

  // `root_id`: what the page calls the drawing; rules of its <style> are for what is inside.
  std::string whole(const pugi::xml_node& root, const std::string& root_id,
                    const std::string& label) {
    scope_ = "#" + root_id;
    for (const pugi::xml_node& child : root.children()) {
      // They name the program, not the figure: the label does that.
      const std::string_view name = child.name();
      if (name != "title" && name != "desc") write(child, /*in_text=*/false);
    }
    const std::string inside =
        std::exchange(svg_, fmt::format("<svg id=\"{}\"", html_escaped(root_id)));
    write_root_attributes(root);
    // An image has no parts; one with links is a group of them.
    svg_ += fmt::format(" role=\"{}\" aria-label=\"{}\">", has_links_ ? "group" : "img",
                        html_escaped(label));
    return svg_ + inside + "</svg>";
  }

 private:
  void write(const pugi::xml_node& node, bool in_text) {
    if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) {
      if (in_text) svg_ += html_escaped(node.value());
      return;
    }
    if (!is_svg_element(node)) return;
    const std::string_view name = node.name();
    if (name == "style") return write_style(node);
    if (name == "image" && !is_inner_picture(svg_reference(node))) return;
    const std::size_t begin = svg_.size();
    svg_ += "<";
    svg_ += name;
    write_attributes(node);
    svg_ += ">";
    const std::size_t inside = svg_.size();
    const bool is_plain = name == "title" || name == "desc";  // HTML would be HTML there
    for (const pugi::xml_node& child : node.children()) {
      if (!is_plain || child.type() != pugi::node_element)
        write(child, in_text || is_svg_text(name));
    }
    close(node, begin, inside);
  }

  // gnuplot writes groups for every change of colour; those with nothing in them go.
  void close(const pugi::xml_node& node, std::size_t begin, std::size_t inside) {
    if (svg_.size() > inside) {
      svg_ += fmt::format("</{}>", node.name());
    } else if (node.name() == std::string_view("g") && !node.attribute("id")) {
      svg_.resize(begin);
    } else {
      svg_.back() = '/';
      svg_ += '>';
    }
  }

  void write_style(const pugi::xml_node& node) {
    std::string css;
    for (const pugi::xml_node& child : node.children()) css += child.value();
    const std::string rules = clean_rules(css, ids_, scope_);
    if (!rules.empty()) svg_ += "<style>" + html_escaped(rules) + "</style>";
  }

  void write_attributes(const pugi::xml_node& node,
                        std::span<const std::string_view> written_before = {}) {
    std::vector<std::string_view> written(written_before.begin(), written_before.end());
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      std::string_view name = attribute.name();
      if (name == "xlink:href") name = "href";
      if (std::find(written.begin(), written.end(), name) != written.end()) continue;
      const auto value = clean_value(node.name(), name, attribute.value());
      if (!value) continue;
      written.push_back(name);
      write_attribute(name, *value);
    }
  }

  void write_attribute(std::string_view name, std::string_view value) {
    svg_ += ' ';
    svg_ += name;
    svg_ += "=\"";
    svg_ += html_escaped(value);
    svg_ += '"';
  }

  void write_root_attributes(const pugi::xml_node& root) {
    constexpr std::string_view kOurs[] = {"id",    "width", "height",     "viewBox",
                                          "style", "role",  "aria-label", "aria-labelledby",
                                          "x",     "y"};
    const auto width = svg_length(root.attribute("width").value());
    const auto height = svg_length(root.attribute("height").value());
    if (const pugi::xml_attribute box = root.attribute("viewBox"))
      write_attribute("viewBox", box.value());
    else if (width && height)
      write_attribute("viewBox", fmt::format("0 0 {:.6g} {:.6g}", *width, *height));
    std::string style = clean_declarations(root.attribute("style").value(), ids_);
    if (width) style += fmt::format("{}max-width:{:.6g}px", style.empty() ? "" : ";", *width);
    if (!style.empty()) write_attribute("style", style);
    write_attributes(root, kOurs);
  }

  // Nothing where it may not stay.
  std::optional<std::string> clean_value(std::string_view element, std::string_view name,
                                         std::string_view value) {
    if (name == "id") return ids_.renamed(value);
    if (name == "href") return clean_reference(element, trim(value));
    if (svg_properties().contains(name)) return clean_css_value(value, ids_);
    if (svg_attributes().contains(name)) return std::string(value);
    std::string list;
    if (name == "style") list = clean_declarations(value, ids_);
    if (svg_id_lists().contains(name)) {
      for (const std::string& id : split(value, ' ')) {
        if (ids_.has(id)) list += (list.empty() ? "" : " ") + ids_.renamed(id);
      }
    }
    return list.empty() ? std::nullopt : std::optional(list);
  }

  std::optional<std::string> clean_reference(std::string_view element, std::string_view address) {
    if (element == "image")
      return is_inner_picture(address) ? std::optional(std::string(address)) : std::nullopt;
    if (!address.starts_with('#')) return std::nullopt;
    const std::string_view id = address.substr(1);
    const bool is_link = element == "a";
    has_links_ = has_links_ || is_link;
    if (ids_.has(id)) return "#" + ids_.renamed(id);
    // Links may lead to other places of the page; nothing else may take from there.
    return is_link ? std::optional(std::string(address)) : std::nullopt;
  }

  const SvgIds& ids_;
  std::string scope_;
  std::string svg_;
  bool has_links_ = false;
};

std::string inlined(std::string_view svg, const std::string& prefix, const std::string& label) {
  pugi::xml_document document;
  parse_svg(document, svg);
  const pugi::xml_node root = root_of(document);
  SvgIds ids;
  ids.prefix = css_name(prefix);
  collect_ids(root, 0, ids);
  SvgUnfolding(root).size(root);
  const std::string_view id = root.attribute("id").value();
  const bool is_name = !id.empty() && std::all_of(id.begin(), id.end(), is_css_word);
  return SvgWriter(ids).whole(root, ids.renamed(is_name ? id : "svg"), label);
}

}  // namespace

std::string inline_svg(std::string_view svg, const std::string& prefix, const std::string& label,
                       const std::string& name) {
  try {
    return inlined(svg, prefix, label);
  } catch (const Error& error) {
    throw error.within(name);
  }
}

std::string svg_file(std::string_view svg, const std::string& label, const std::string& name) {
  constexpr std::string_view kBegin = "<svg";
  const std::string element = inline_svg(svg, "", label, name);
  return fmt::format("{} xmlns=\"http://www.w3.org/2000/svg\"{}\n", kBegin,
                     std::string_view(element).substr(kBegin.size()));
}

}  // namespace headway
