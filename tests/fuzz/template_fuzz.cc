// The template of a report: parsed, checked, and its text made into HTML.
#include "lib/report/directives.h"
#include "lib/report/markdown_html.h"
#include "lib/report/report_template.h"
#include "tests/fuzz/fuzz.h"

using namespace headway;

namespace {

const std::vector<std::string> kInputs = {"evaluation", "heads", "importance", "maps", "trials"};

}  // namespace

FUZZ_TARGET(template) {
  fuzz::accepts({"t.md:"}, [&] {
    const ReportTemplate text = parse_template(input, "t.md");
    Diagnostics diagnostics;
    check_directives(text, kInputs, diagnostics);
    diagnostics.throw_if_any();
    Conditions conditions(kInputs);
    HeadingIds ids;
    for (const TemplatePart& part : text.parts) {
      if (!conditions.is_shown(part) || part.is_block) continue;
      for (const std::string& piece : part.texts)
        fuzz::accepts({"t.md: "}, [&] { render_markdown(piece, ids, "t.md"); });
    }
  });
}
