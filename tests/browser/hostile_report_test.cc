// Names and texts that try to become part of the page: they are displayed, and nothing in them
// runs.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

#include "tests/browser/opened_report.h"

namespace headway::browser {
namespace {

const std::string kPipelineFile = R"("><img src=x onerror=hacked=1>'.yaml)";
const std::string kTableFile = R"(<img src=x onerror=hacked=2>.csv)";
const std::string kFigureFile = R"("><svg onload=hacked=3>.svg)";
const std::string kColumn = R"(<b onclick=hacked=4>'"column)";
const std::string kCell = "</td></table><script>hacked=5</script>";
const std::string kProblem = "</script><script>hacked=6</script><!-- <script>";
const std::string kOtherProblem = R"("><img src=x onerror="hacked=7">)";
const std::string kToken = R"(</script><img src=x onerror=hacked=16>"')";
const std::string kTitle = R"(<img src=x onerror=hacked=8> & "quotes")";
const std::string kSection = "<script>hacked=9</script>";
const std::string kParameter = R"(</code><img src=x onerror='hacked=10'>")";

// Everything that an SVG could do, and one text that only looks like it.
const std::string kHostileFigure = R"svg(<svg width="300" height="200" onload="hacked=20"
  xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<style>@import url(https://example.org/a.css); rect { fill: url(https://example.org/b.svg#c) }</style>
<script>hacked=21</script>
<rect width="300" height="200" onclick="hacked=22" onmouseover="hacked=23"/>
<a xlink:href="javascript:hacked=24"><rect width="200" height="100"/></a>
<image href="https://example.org/d.png" width="10" height="10"/>
<use href="https://example.org/e.svg#f"/>
<foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:hacked=25"/></foreignObject>
<set attributeName="onmouseover" to="hacked=26"/>
<text x="10" y="150">&lt;/text&gt;&lt;script&gt;hacked=11&lt;/script&gt;</text>
</svg>)svg";

const std::string kHostileText = R"(# A text

<script>hacked=30</script> and <img src=x onerror=hacked=31> and <https://example.org/g>

![picture](https://example.org/h.png) [link](javascript:hacked=32) [q](https://example.org/"onclick="hacked=33 "t&quot; onclick=&quot;hacked=34") [other](data:text/html,x)

<iframe src="https://example.org/i"></iframe>
)";

std::string in_single_quotes(std::string text) {  // of YAML
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2) {
    text.insert(at, 1, '\'');
  }
  return "'" + text + "'";
}

std::string hostile_pipeline() {
  return fmt::format(R"(name: shown
stages:
  attention:
    uses: shell
    outs: {{maps: maps.safetensors}}
    with: {{run: "cat maps.safetensors > {{out.maps}}", code: [maps.safetensors]}}
  ablate:
    uses: shell
    outs: {{table: {}}}
    with: {{run: "cat heads.csv > {{out.table}}", code: [heads.csv]}}
  curves:
    uses: shell
    outs: {{figure: {}}}
    with: {{run: "cat curves.svg > {{out.figure}}", code: [curves.svg]}}
  notes:
    uses: shell
    outs: {{text: notes.md}}
    with:
      run: |
        # {}
        cat metrics.json > {{out.text}}
  report:
    uses: report
    in: {{curves: curves.figure, heads: ablate.table, maps: attention.maps, notes: notes.text}}
    with: {{template: report.md}}
)",
                     in_single_quotes(kTableFile), in_single_quotes(kFigureFile), kParameter);
}

ReportArtifacts hostile_artifacts() {
  const auto csv = [](const std::string& text) {
    std::string quoted = "\"";
    for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
    return quoted + "\"";
  };
  ReportArtifacts artifacts;
  artifacts.heads = csv(kColumn) + ",n\n" + csv(kCell) + ",1\nplain,2\nother,3\n";
  artifacts.curves = kHostileFigure;
  artifacts.metrics = kHostileText;  // what the stage `notes` gives
  artifacts.maps = small_maps({kProblem, kOtherProblem});
  artifacts.maps.metadata["tokens"] = to_line(Json(std::vector<std::string>(14, kToken)));
  artifacts.maps.metadata["answers"] = to_line(Json{kToken, kToken});
  artifacts.text =
      "# " + kTitle + "\n\n## " + kSection +
      "\n\n{{ figure curves \"A <script>hacked=12</script> [x](javascript:hacked=13).\" }}\n\n"
      "{{ table heads \"<img src=x onerror=hacked=14>&quot; onmouseover=&quot;hacked=15\" }}\n\n{{ "
      "explorer maps }}\n\n"
      "{{ text notes }}\n\n## Raw\n\n" +
      kHostileText;
  return artifacts;
}

TEST_CASE("hostile names and texts are displayed, and nothing in them runs or is fetched") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  OpenedReport report(hostile_artifacts(), hostile_pipeline(), kPipelineFile);
  const auto hacked = [&] { return report->evaluate("window.hacked ?? 'nothing'"); };
  CHECK(hacked() == "nothing");

  CHECK(report->evaluate("document.title") == kTitle);
  CHECK(report->evaluate("document.querySelector('h1').textContent") == kTitle);
  const std::string text = report->evaluate(R"js((() => {
    const copy = document.body.cloneNode(true);
    copy.querySelectorAll("script").forEach(script => script.remove());
    return copy.textContent;
  })())js");
  for (const std::string& name : {kPipelineFile, kTableFile, kFigureFile, kColumn, kCell, kProblem,
                                  kOtherProblem, kToken, kSection, kParameter}) {
    CAPTURE(name);
    CHECK(text.find(name) != std::string::npos);
  }

  // Nothing in the page could run or fetch, even if somebody clicked it.
  CHECK(report->evaluate("Array.from(document.scripts).filter(one => one.type === '').length") ==
        1);
  CHECK(report->evaluate(R"js(Array.from(document.querySelectorAll("*")).filter(one =>
      one.matches("iframe, object, embed, foreignObject, base, form, image, set, animate") ||
      one.matches("img") && !(one.matches(".figure .picture > img") &&
                              one.getAttribute("src").startsWith("data:image/svg+xml,")) ||
      one.getAttributeNames().some(name => name.startsWith("on")) ||
      /^\s*(javascript|data|vbscript):/i.test(one.getAttribute("href") ??
                                            one.getAttribute("xlink:href") ?? "") &&
        one.localName !== "link").map(one => one.outerHTML.slice(0, 200)))js") == Json::array());

  // The figure is an image, and one that is drawn.
  CHECK(report->evaluate("document.querySelector('.figure .picture > img').naturalWidth") == 300);

  // Using the page moves texts around, and makes labels of them.
  report->choose(".explorer .choices label:nth-child(1) select", "1");
  report->click("th .sort");
  report->click("th .sort");
  report->click_at(".figure .picture img", 0.2, 0.2);  // where the link was
  report->click_at(".zoom-stage > img", 0.9, 0.2);
  report->hover(".zoom-stage > img");
  report->press("Escape");
  CHECK(hacked() == "nothing");
  report.check_quiet();
}

}  // namespace
}  // namespace headway::browser
