// The template of a report: parsed, checked, filled in, and made into HTML.
#include "lib/report/markdown_html.h"
#include "lib/report/report.h"
#include "tests/fuzz/fuzz.h"

using namespace headway;

namespace {

// Small artifacts of each kind that expressions read.
const Sources& fuzz_sources() {
  static const Sources kSources = [] {
    Sources sources;
    sources.add("evaluation",
                {{"", "evaluate.metrics", "m.json",
                  R"({"greedy": 0.5, "by": {"carry": [1, 2, null]}, "name": "a|b"})"}});
    sources.add("heads",
                {{"", "ablate.heads", "h.csv", "label,drop,best\nA,1.5,1\nB,,0\n*C*,-2,0\n"}});
    sources.add("trials", {{"zero", "t@zero.table", "t.csv", "seed,value\n1,0.5\n2,0.25\n"},
                           {"mean", "t@mean.table", "t.csv", "seed,other\n1,x\n"}});
    return sources;
  }();
  return kSources;
}

}  // namespace

FUZZ_TARGET(template) {
  fuzz::accepts({"t.md:"}, [&] {
    const Provenance provenance;
    Directives directives(fuzz_sources(), provenance);
    HeadingIds ids;
    for (const PlacedPiece& one :
         fill_template(parse_template(input, "t.md"), fuzz_sources(), directives)) {
      if (one.piece.html.empty())
        fuzz::accepts({"t.md: "}, [&] { render_markdown(one.piece.markdown, ids, "t.md"); });
    }
  });
}
