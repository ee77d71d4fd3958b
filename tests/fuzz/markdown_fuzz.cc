// Markdown of reports, with formulas, made into HTML that pugixml can read.
#include "lib/report/markdown_html.h"

#include <pugixml.hpp>

#include "tests/fuzz/fuzz.h"

using namespace headway;

FUZZ_TARGET(markdown) {
  fuzz::accepts({"t.md: "}, [&] {
    HeadingIds ids;
    const RenderedMarkdown rendered = render_markdown(input, ids, "t.md");
    pugi::xml_document document;
    const std::string page = "<html>" + rendered.html + "</html>";
    fuzz::require(document.load_buffer(page.data(), page.size()), "Markdown becomes well-formed",
                  page);
  });
}
