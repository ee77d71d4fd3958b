#include "lib/report/report.h"

#include <fmt/format.h>

#include "lib/report/escape.h"
#include "lib/report/html_page.h"
#include "lib/report/markdown_html.h"
#include "lib/report/provenance_pieces.h"
#include "lib/report/template_filler.h"

namespace headway {
namespace {

constexpr const char* kOrigins = "Where this comes from";

// Strips empty lines at both ends: one is put between pieces.
std::string_view trimmed_lines(std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

class ReportWriter {
 public:
  void add(const Piece& piece, const std::string& place) {
    const std::string_view text = trimmed_lines(piece.markdown);
    if (!text.empty())
      report_.markdown += fmt::format("{}{}\n", report_.markdown.empty() ? "" : "\n", text);
    if (!piece.html.empty()) {
      page_.body += piece.html;
      return;
    }
    const RenderedMarkdown rendered = render_markdown(piece.markdown, ids_, place);
    page_.body += rendered.html;
    page_.contents.insert(page_.contents.end(), rendered.headings.begin(), rendered.headings.end());
  }

  void add_origins(const Provenance& provenance, const Path& work) {
    add({fmt::format("## {}\n", kOrigins), ""}, kOrigins);
    add(environment_piece(provenance), kOrigins);
    add(graph_piece(provenance, work), kOrigins);
    add({"### Parameters\n", ""}, kOrigins);
    add(parameters_piece(provenance), kOrigins);
    add({"### Stages\n", ""}, kOrigins);
    add(stages_piece(provenance), kOrigins);
  }

  Report finish(const std::string& title, const Provenance& provenance) {
    page_.title = title;
    page_.kicker = provenance.variant.empty() ? provenance.pipeline
                                              : provenance.pipeline + " / " + provenance.variant;
    page_.footer =
        fmt::format("<p>Made by Headway from <code>{}</code>.</p>", html_escaped(provenance.file));
    report_.markdown = "# " + markdown_escaped(title) + "\n\n" + report_.markdown;
    report_.html = to_html(page_);
    return std::move(report_);
  }

 private:
  HeadingIds ids_;
  HtmlPage page_;
  Report report_;
};

}  // namespace

Report make_report(const ReportTemplate& text, const Sources& sources, const Provenance& provenance,
                   const TokenNamer& token, const Path& work) {
  Directives directives(sources, provenance, token);
  ReportWriter writer;
  for (const PlacedPiece& one : fill_template(text, sources, directives))
    writer.add(one.piece, one.location.text());
  writer.add_origins(provenance, work);
  Report report = writer.finish(text.title.empty() ? provenance.pipeline : text.title, provenance);
  report.pictures = directives.pictures();
  return report;
}

}  // namespace headway
