#include "lib/report/outputs_index.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

namespace headway::testing {
namespace {

bool index_says(const std::string& html, const std::string& part) {
  return html.find(part) != std::string::npos;
}

IndexEntry index_entry(const std::string& pipeline, const std::string& variant = "") {
  IndexEntry entry;
  entry.pipeline = pipeline;
  entry.variant = variant;
  if (!variant.empty()) entry.arguments = {"--variant", variant};
  entry.file = "pipelines/" + pipeline + ".yaml";
  entry.stages = 17;
  entry.finished = 1794830490;
  entry.seconds = 309;
  return entry;
}

TEST_CASE("an empty index says what to do", "[report]") {
  const std::string html = index_page({});
  CHECK(index_says(html, "Nothing has run yet"));
  CHECK(index_says(html, "headway run"));
  CHECK_FALSE(index_says(html, "<table"));
}

TEST_CASE("the index shows how each pipeline ended, when, and its report", "[report]") {
  IndexEntry entry = index_entry("addition");
  entry.reports = {"addition/report/report/index.html"};
  entry.figures = {"addition/curves/figure.svg"};
  entry.metrics = {{"evaluate.greedy", "1"}};
  const std::string html = index_page({entry});
  CHECK(index_says(html, "<a href=\"./addition/report/report/index.html\">report</a>"));
  CHECK(index_says(html, "<a href=\"./addition/curves/figure.svg\">curves</a>"));
  CHECK(index_says(html, ">done<"));
  CHECK(index_says(html, "data-sort=\"1794830490\">2026-11-16 12:01 UTC<"));
  CHECK(index_says(html, "data-sort=\"309.000\">5 min 09 s<"));
  CHECK(index_says(html, "evaluate.greedy = 1"));
  CHECK(index_says(html, "1 pipeline ran; 1 has a report."));
  CHECK_FALSE(index_says(html, "<img"));
}

TEST_CASE("a failure outweighs an interruption, and both outweigh success", "[report]") {
  IndexEntry failed = index_entry("a"), interrupted = index_entry("b");
  failed.failed = 2;
  failed.unfinished = interrupted.unfinished = 1;
  const std::string html = index_page({failed, interrupted});
  CHECK(index_says(html, "failed</strong>: 2 stages"));
  CHECK(index_says(html, "interrupted</strong>: 1 stage<"));
  CHECK_FALSE(index_says(html, ">done<"));
  CHECK(index_says(html, "0 have a report, 1 failed, 1 has not finished."));
}

TEST_CASE("the index does not call a pipeline done that is stale or ran in part", "[report]") {
  IndexEntry stale = index_entry("a"), part = index_entry("b"), lost = index_entry("c");
  stale.stale = 2;
  stale.never_run = part.never_run = 1;
  lost.unknown = "its file is <gone>";
  const std::string html = index_page({stale, part, lost});
  CHECK(index_says(html, "stale</strong>: 2 stages, 1 never run<"));
  CHECK(index_says(html, "never run</strong>: 1 stage<"));
  CHECK(index_says(html, "unknown</strong>: its file is &lt;gone&gt;<"));
  CHECK(index_says(html, "0 have a report, 1 is stale."));
  CHECK_FALSE(index_says(html, ">done<"));
  IndexEntry warned = index_entry("d");
  warned.warnings = 1;
  CHECK(index_says(index_page({warned}), ">done</span>, 1 warning<"));
}

TEST_CASE("the index tells results of --set from variants", "[report]") {
  IndexEntry set = index_entry("p", "wide@n=2");
  set.arguments = {"--variant", "wide", "--set", "n=2"};
  CHECK(index_says(index_page({set}), "wide@n=2 <span class=\"detail\">--set</span>"));
  CHECK(index_says(index_page({index_entry("p", "wide")}),
                   "wide <span class=\"detail\">variant</span>"));
}

TEST_CASE("a pipeline that runs is neither failed nor interrupted", "[report]") {
  IndexEntry entry = index_entry("a");
  entry.running = 2;
  entry.queued = 3;
  entry.failed = 1;
  const std::string html = index_page({entry}, 1794830490);
  CHECK(index_says(html, "running</strong>: 2 stages, 3 queued, 1 failed<"));
  CHECK(index_says(html, "1 was running when this page was written (2026-11-16 12:01 UTC)."));
  CHECK_FALSE(index_says(html, "interrupted"));
}

TEST_CASE("a pipeline without a report shows the command that makes one", "[report]") {
  IndexEntry sweep = index_entry("s", "heads"), gone = index_entry("g");
  sweep.is_sweep = true;
  sweep.arguments = {};
  gone.file = "";
  IndexEntry quoted = index_entry("q", "it's");
  const std::string html =
      index_page({index_entry("p"), index_entry("p", "seed-642"), sweep, gone, quoted});
  CHECK(index_says(html, "<code>headway report pipelines/p.yaml</code>"));
  CHECK(index_says(html, "<code>headway report pipelines/p.yaml --variant seed-642</code>"));
  CHECK(index_says(html, "<code>headway report pipelines/s.yaml --sweep heads</code>"));
  IndexEntry of_variant = index_entry("s", "heads@wide");
  of_variant.is_sweep = true;
  of_variant.arguments = {"--variant", "wide"};
  CHECK(index_says(index_page({of_variant}),
                   "<code>headway report pipelines/s.yaml --sweep heads --variant wide</code>"));
  CHECK(index_says(html, "--variant &#39;it&#39;\\&#39;&#39;s&#39;</code>"));
  CHECK(index_says(html, "the pipeline's file is gone"));
}

TEST_CASE("the index does not depend on the order of its entries", "[report]") {
  IndexEntry sweep = index_entry("a", "b");
  sweep.is_sweep = true;
  std::vector<IndexEntry> entries = {sweep, index_entry("b"), index_entry("a", "z"),
                                     index_entry("a"), index_entry("a", "b")};
  const std::string html = index_page(entries);
  std::reverse(entries.begin(), entries.end());
  CHECK(index_page(entries) == html);
  CHECK(html.find("data-sort=\"a / \"") < html.find("data-sort=\"a / b\""));
  CHECK(html.find("data-sort=\"a / z\"") < html.find("data-sort=\"b / \""));
}

TEST_CASE("links of the index stay within its folder, and hostile names are text", "[report]") {
  const std::string hostile = "\"><script>alert('1')</script>\n&";
  IndexEntry entry = index_entry(hostile, hostile);
  entry.file = hostile;
  entry.metrics = {{hostile, hostile}};
  entry.reports = {"javascript:alert(1)", "//evil.example/x", hostile + "/a b#c?d%e"};
  entry.figures = {hostile};
  const std::string html = index_page({entry});
  CHECK_FALSE(index_says(html, "<script>alert"));
  CHECK_FALSE(index_says(html, "\"><script"));
  CHECK_FALSE(index_says(html, "href=\"javascript:"));
  CHECK_FALSE(index_says(html, "href=\"//"));
  CHECK(index_says(html, "href=\"./javascript%3Aalert%281%29\""));
  CHECK(index_says(html, "href=\".///evil.example/x\""));
  CHECK(index_says(html, "a%20b%23c%3Fd%25e\""));
}

}  // namespace
}  // namespace headway::testing
