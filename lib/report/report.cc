#include "lib/report/report.h"

#include <fmt/format.h>

#include <string_view>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/evaluator.h"
#include "lib/report/html_page.h"
#include "lib/report/markdown_html.h"
#include "lib/report/provenance_pieces.h"

namespace headway {
namespace {

// Adds the location to errors of expressions, which may quote any bytes of the template.
template <class Function>
auto located(const SourceLocation& location, const Function& function) {
  try {
    return function();
  } catch (const Error& error) {
    throw Error(location.text() + ": " + printable(error.what()));
  }
}

// Turns the template's text into Markdown and its blocks into pieces.
class TemplateFiller {
 public:
  TemplateFiller(const Sources& sources, Directives& directives)
      : evaluator_(sources, [&](const std::string& path) { return directives.parameter(path); }),
        directives_(directives) {}

  void fill(const std::vector<TemplatePart>& parts) {
    const std::size_t variables = evaluator_.variable_count();
    for (const TemplatePart& part : parts) fill(part);
    evaluator_.forget_after(variables);
  }

  std::vector<PlacedPiece> finish() {
    end_text();
    return std::move(pieces_);
  }

 private:
  static constexpr std::size_t kMostText = 4'000'000;

  void fill(const TemplatePart& part) {
    switch (part.kind) {
      case TemplatePart::Kind::kText:
        return add_text(part);
      case TemplatePart::Kind::kValue:
        return add(part.location, located(part.location, [&] {
                     return evaluator_.text(part.expression, part.format);
                   }));
      case TemplatePart::Kind::kDirective:
        return add_directive(part);
      case TemplatePart::Kind::kLet:
        return evaluator_.define(
            part.name, located(part.location, [&] { return evaluator_.value(part.expression); }));
      case TemplatePart::Kind::kIf:
        return fill_if(part);
      case TemplatePart::Kind::kFor:
        return fill_for(part);
    }
  }

  // Joins blank lines before and after a part that was left out.
  void add_text(const TemplatePart& part) {
    std::string_view text = part.text;
    if (text_.empty() || text_.ends_with("\n\n")) {
      while (text.starts_with('\n')) text.remove_prefix(1);
    }
    if (!text.empty()) add(part.location, text);
  }

  void add(const SourceLocation& location, std::string_view markdown) {
    if (text_.empty()) location_ = location;
    text_ += markdown;
    written_ += markdown.size();
    if (written_ > kMostText) throw Error(location.text() + ": the report is too long");
  }

  void add_directive(const TemplatePart& part) {
    if (!part.is_alone)
      return add(part.location,
                 located(part.location, [&] { return directives_.inline_text(part.directive); }));
    end_text();
    for (Piece& piece : located(part.location, [&] { return directives_.block(part.directive); }))
      pieces_.push_back({std::move(piece), part.location});
  }

  void end_text() {
    if (!text_.empty()) pieces_.push_back({{std::exchange(text_, ""), ""}, location_});
  }

  void fill_if(const TemplatePart& part) {
    for (const TemplateBranch& branch : part.branches) {
      if (located(branch.location, [&] { return evaluator_.truth(branch.condition); }))
        return fill(branch.parts);
    }
  }

  void fill_for(const TemplatePart& part) {
    const std::vector<TemplateValue> items =
        located(part.location, [&] { return items_of(evaluator_.value(part.expression)); });
    for (std::size_t i = 0; i < items.size(); ++i) {
      located(part.location, [&] { evaluator_.count_steps(1); });
      if (i > 0) add(part.location, i + 1 == items.size() ? part.last : part.separator);
      const std::size_t variables = evaluator_.variable_count();
      evaluator_.define(part.name, items[i]);
      fill(part.branches[0].parts);
      evaluator_.forget_after(variables);
    }
  }

  Evaluator evaluator_;
  Directives& directives_;
  std::vector<PlacedPiece> pieces_;
  std::string text_;         // Markdown since the last block
  SourceLocation location_;  // where it begins
  std::size_t written_ = 0;
};

// Strips empty lines at both ends: one is put between pieces.
std::string_view trimmed_lines(std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

// The parts of a report so far.
struct ReportParts {
  HeadingIds ids;
  HtmlPage page;
  std::string markdown;

  void add(const Piece& piece, const std::string& place) {
    const std::string_view text = trimmed_lines(piece.markdown);
    if (!text.empty()) markdown += fmt::format("{}{}\n", markdown.empty() ? "" : "\n", text);
    if (!piece.html.empty()) {
      page.body += piece.html;
      return;
    }
    const RenderedMarkdown rendered = render_markdown(piece.markdown, ids, place);
    page.body += rendered.html;
    page.contents.insert(page.contents.end(), rendered.headings.begin(), rendered.headings.end());
  }
};

}  // namespace

std::vector<PlacedPiece> fill_template(const ReportTemplate& text, const Sources& sources,
                                       Directives& directives) {
  Diagnostics diagnostics;
  check_directives(text, sources.names(), diagnostics);
  if (!diagnostics.empty()) throw Error(diagnostics.text());
  TemplateFiller filler(sources, directives);
  filler.fill(text.parts);
  return filler.finish();
}

Report make_report(const ReportTemplate& text, const Sources& sources, const Provenance& provenance,
                   const Path& work) {
  Directives directives(sources, provenance);
  ReportParts parts;
  for (const PlacedPiece& one : fill_template(text, sources, directives))
    parts.add(one.piece, one.location.text());
  for (const Piece& piece :
       {Piece{"## Where this comes from\n", ""}, environment_piece(provenance),
        graph_piece(provenance, work), Piece{"### Parameters\n", ""}, parameters_piece(provenance),
        Piece{"### Stages\n", ""}, stages_piece(provenance)})
    parts.add(piece, "Where this comes from");

  HtmlPage& page = parts.page;
  page.title = text.title.empty() ? provenance.pipeline : text.title;
  page.kicker = provenance.variant.empty() ? provenance.pipeline
                                           : provenance.pipeline + " / " + provenance.variant;
  page.footer =
      fmt::format("<p>Made by Headway from <code>{}</code>.</p>", html_escaped(provenance.file));
  return {to_html(page), "# " + markdown_escaped(page.title) + "\n\n" + parts.markdown,
          directives.pictures()};
}

}  // namespace headway
