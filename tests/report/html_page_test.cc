#include "lib/report/html_page.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

namespace headway {
namespace {

HtmlPage small_page() {
  HtmlPage page;
  page.title = "How heads carry";
  page.kicker = "addition / seed-642";
  page.body = "<h2 id=\"question\">The question</h2>\n<p>Which?</p>\n";
  page.contents = {{2, "question", "The question"}, {3, "heads", "Heads"}, {4, "deep", "Deeper"}};
  page.footer = "<p>made by headway</p>";
  return page;
}

bool page_has(const std::string& html, std::string_view part) {
  return html.find(part) != std::string::npos;
}

std::size_t page_count(std::string_view html, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = html.find(part, at)) != std::string_view::npos; ++at) ++count;
  return count;
}

TEST_CASE("a page is a single file with its style, script and text", "[page]") {
  const std::string html = to_html(small_page());
  CHECK(html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">\n"));
  CHECK(page_has(html, "<meta charset=\"utf-8\">"));
  CHECK(page_has(html, "<title>How heads carry</title>"));
  CHECK(page_has(html, "<h1>How heads carry</h1>"));
  CHECK(page_has(html, "<p class=\"kicker\">addition / seed-642</p>"));
  CHECK(page_has(html, kReportCss));
  CHECK(page_has(html, kReportJs));
  CHECK(page_has(html, "<p>Which?</p>\n</main>"));
  CHECK(page_has(html, "<footer class=\"page-footer\">\n<p>made by headway</p>"));
  CHECK(html.ends_with("</body>\n</html>\n"));
}

TEST_CASE("a page forbids itself to fetch anything or to run any script but its own", "[page]") {
  const std::string html = to_html(small_page());
  const std::size_t policy = html.find(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src 'unsafe-inline'; script-src 'sha256-");
  REQUIRE(policy != std::string::npos);
  const std::size_t digest = html.find("sha256-") + 7;
  CHECK(html.substr(digest + 43, 2) == "='");  // 32 bytes in base64
  CHECK(policy < html.find("<style>"));
  CHECK(policy < html.find("<link"));
  CHECK(page_count(html, "<link") == 1);
  CHECK(page_has(html, "<link rel=\"icon\" href=\"data:,\">"));  // otherwise browsers request one
  CHECK_FALSE(page_has(html, "src=\""));
}

TEST_CASE("the contents link the first two levels of headings", "[page]") {
  const std::string html = to_html(small_page());
  CHECK(page_has(html, "<nav class=\"contents\" aria-label=\"Contents\">"));
  CHECK(page_has(html, "<li><a href=\"#question\">The question</a></li>"));
  CHECK(page_has(html, "<li class=\"deeper\"><a href=\"#heads\">Heads</a></li>"));
  CHECK_FALSE(page_has(html, "#deep"));
}

TEST_CASE("a page without headings, kicker and footer has no empty elements for them", "[page]") {
  HtmlPage page;
  page.title = "All pipelines";
  page.body = "<p>none</p>\n";
  const std::string html = to_html(page);
  CHECK_FALSE(page_has(html, "<nav"));
  CHECK_FALSE(page_has(html, "class=\"kicker\""));
  CHECK_FALSE(page_has(html, "<footer"));
}

TEST_CASE("titles and headings of a page are always text", "[page]") {
  const std::string hostile = "</title><script>alert(1)</script>\"'&\n";
  HtmlPage page = small_page();
  page.title = hostile;
  page.kicker = hostile;
  page.contents = {{2, "a\" onclick=\"alert(1)", hostile}};
  const std::string html = to_html(page);
  CHECK(page_count(html, "<script>") == 1);
  CHECK(page_count(html, "</title>") == 1);
  CHECK_FALSE(page_has(html, "\" onclick=\""));
  CHECK(page_count(html, "&lt;script&gt;alert(1)&lt;/script&gt;") == 4);
}

TEST_CASE("style and script can be embedded in a page", "[page]") {
  CHECK_FALSE(page_has(kReportCss, "</"));
  CHECK_FALSE(page_has(kReportJs, "</script"));
  CHECK_FALSE(page_has(kReportJs, "<!--"));
  CHECK_FALSE(page_has(kReportJs, "innerHTML"));
  CHECK_FALSE(page_has(kReportCss, "url("));
  CHECK_FALSE(page_has(kReportCss, "@import"));
}

TEST_CASE("the same page gives the same bytes", "[page]") {
  CHECK(to_html(small_page()) == to_html(small_page()));
}

}  // namespace
}  // namespace headway
