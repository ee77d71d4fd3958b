// A report's page, used like a reader does: tables, figures, themes, a phone, paper.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

#include "tests/browser/opened_report.h"

namespace headway::browser {
namespace {

const std::string kHeadsTable = "table[aria-label='Heads, and what is lost without each.']";

std::string header_of(int column) {
  return fmt::format("{} th:nth-child({})", kHeadsTable, column);
}

// The column's cells from top to bottom; only the visible ones, or all.
Json column_cells(Page& page, int column, bool only_seen = false) {
  return page.evaluate(fmt::format(
      R"js(Array.from(document.querySelectorAll("{} tbody tr"))
        .filter(row => !{} || row.checkVisibility())
        .map(row => row.cells[{}].textContent))js",
      kHeadsTable, only_seen, column - 1));
}

Json sort_orders(Page& page) {
  return page.evaluate(fmt::format(
      R"js(Array.from(document.querySelectorAll("{} th"), th => th.getAttribute("aria-sort")))js",
      kHeadsTable));
}

// Of the page's background: 0 is black, 255 is white.
double brightness(Page& page) {
  return page
      .evaluate(R"js((() => {
        const canvas = document.createElement("canvas").getContext("2d");
        canvas.fillStyle = getComputedStyle(document.documentElement).backgroundColor;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
        return (r + g + b) / 3;
      })())js")
      .get<double>();
}

bool is_seen(Page& page, const std::string& selector) {
  return page.evaluate(fmt::format(
      R"js(document.querySelector("{}").checkVisibility({{visibilityProperty: true}}))js",
      selector));
}

TEST_CASE("tables sort by number, ascending, descending and back, and announce it") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  OpenedReport report;
  const Json original{"9.5", "10.25", "-1", "", "10.3", "0.002"};
  const Json ascending{"-1", "0.002", "9.5", "10.25", "10.3", ""};
  const Json descending{"10.3", "10.25", "9.5", "0.002", "-1", ""};  // what is missing stays last
  CHECK(column_cells(report.page(), 2) == original);
  CHECK(sort_orders(report.page()) == Json{nullptr, nullptr, nullptr});
  report->click(header_of(2) + " button");
  CHECK(column_cells(report.page(), 2) == ascending);
  CHECK(column_cells(report.page(), 1)[0] == "Encoder L1 H0");  // whole rows move
  CHECK(sort_orders(report.page()) == Json{nullptr, "ascending", nullptr});
  report->click(header_of(2) + " button");
  CHECK(column_cells(report.page(), 2) == descending);
  CHECK(sort_orders(report.page()) == Json{nullptr, "descending", nullptr});
  report->click(header_of(2) + " button");
  CHECK(column_cells(report.page(), 2) == original);
  CHECK(sort_orders(report.page()) == Json{nullptr, nullptr, nullptr});

  // By keyboard, and percentages by their number.
  report->focus(header_of(3) + " button");
  report->press("Enter");
  report->press("Space");
  CHECK(column_cells(report.page(), 1) == Json{"Encoder L1 H1", "Decoder Self L0 H0",
                                               "Encoder L0 H1", "Encoder L0 H0",
                                               "Decoder Cross L0 H0", "Encoder L1 H0"});
  CHECK(sort_orders(report.page()) == Json{nullptr, nullptr, "descending"});
  report->click(header_of(1) + " button");
  CHECK(column_cells(report.page(), 1)[0] == "Decoder Cross L0 H0");
  CHECK(sort_orders(report.page()) == Json{"ascending", nullptr, nullptr});
  report.check_quiet();
}

TEST_CASE("a folded table shows its first rows in any sort order, and all on demand") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  OpenedReport report;
  CHECK(column_cells(report.page(), 2, true) == Json{"9.5", "10.25", "-1", ""});
  report->click(header_of(2) + " button");
  CHECK(column_cells(report.page(), 2, true) == Json{"-1", "0.002", "9.5", "10.25"});
  const std::string unfold = "figure:has(> .scroll > " + kHeadsTable + ") .show-rows";
  report->click(unfold);
  CHECK(column_cells(report.page(), 2, true) == Json{"-1", "0.002", "9.5", "10.25", "10.3", ""});
  report->click(unfold);
  CHECK(column_cells(report.page(), 2, true).size() == 4);
}

TEST_CASE("a figure can be enlarged by mouse and keyboard, and returns to its place") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  OpenedReport report;
  const auto is_enlarged = [&] {
    return report->evaluate(
               "document.querySelector('dialog.zoom[open] .zoom-stage > img') !== null") == true;
  };
  const auto level = [&] {
    return report->evaluate("document.querySelector('.zoom-level').textContent");
  };
  const auto width = [&] {
    return report
        ->evaluate("document.querySelector('.zoom-stage > img').getBoundingClientRect().width")
        .get<double>();
  };
  const auto repeated_ids = [&] {
    return report->evaluate(
        "Array.from(document.querySelectorAll('[id]'), e => e.id).filter((id, i, all) => "
        "all.indexOf(id) !== i)");
  };
  report->click(".figure .picture img");
  REQUIRE(is_enlarged());
  CHECK(repeated_ids() == Json::array());
  const double fitting = width();
  CHECK(level() == "100 %");
  report->click("dialog.zoom button[aria-label='Zoom in']");
  CHECK(level() == "125 %");
  CHECK(width() > fitting * 1.2);
  report->click("dialog.zoom .close");
  CHECK(!is_enlarged());
  CHECK(report->evaluate("document.querySelector('.figure .picture > img').style.width") == "");
  CHECK(report->evaluate("document.activeElement.className") == "enlarge");

  report->press("Enter");
  REQUIRE(is_enlarged());
  report->press("+");
  report->press("+");
  CHECK(level() == "150 %");
  report->press("0");
  CHECK(level() == "100 %");
  report->press("Escape");
  CHECK(!is_enlarged());
  CHECK(report->evaluate("document.activeElement.className") == "enlarge");
  CHECK(repeated_ids() == Json::array());
  report.check_quiet();
}

TEST_CASE("the theme follows the system until the reader chooses, and the choice persists") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  OpenedReport report;
  const auto label = [&] {
    return report->evaluate("document.querySelector('button.theme').getAttribute('aria-label')");
  };
  CHECK(brightness(report.page()) > 240);
  report->set_colour_scheme("dark");
  CHECK(brightness(report.page()) < 40);
  CHECK(label() == "Use light colours");
  report->click("button.theme");
  CHECK(brightness(report.page()) > 240);
  CHECK(label() == "Use dark colours");
  report->open_file(report.file());
  CHECK(brightness(report.page()) > 240);
  report->focus("button.theme");
  report->press("Space");
  CHECK(brightness(report.page()) < 40);
  report->set_colour_scheme("light");
  CHECK(brightness(report.page()) < 40);
  report.check_quiet();
}

TEST_CASE("nothing overflows on a phone or a desktop, even with everything unfolded") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  OpenedReport report;
  for (const int width : {1280, 768, 390, 320}) {
    CAPTURE(width);
    report->set_viewport(width, 800, width < 500);
    report->open_file(report.file());
    CHECK(report->evaluate("document.documentElement.scrollWidth").get<int>() <= width);
    report->evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })");
    report->evaluate("document.querySelectorAll('.show-rows').forEach(one => one.click())");
    CHECK(report->evaluate("document.documentElement.scrollWidth").get<int>() <= width);
    // All of it can be reached: what is wider than its box scrolls in it.
    CHECK(report->evaluate(
              R"js(Array.from(document.querySelectorAll("main table, main pre, main svg, main img"))
        .filter(one => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth)
        .filter(one => !one.closest(".scroll, .picture, .graph, pre"))
        .map(one => one.outerHTML.slice(0, 80)))js") == Json::array());
  }
  report.check_quiet();
}

TEST_CASE("the contents are beside the text, collapse on a phone, and link to every section") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  OpenedReport report;
  CHECK(report->evaluate("document.querySelector('.contents').getBoundingClientRect().right <= "
                         "document.querySelector('main').getBoundingClientRect().left") == true);
  CHECK(report->evaluate("Array.from(document.querySelectorAll('.contents a'), "
                         "a => a.textContent).slice(0, 3)") ==
        Json{"Learning", "Heads", "Attention"});
  CHECK(report->evaluate("Array.from(document.querySelectorAll('a[href^=\"#\"]')).filter(a => "
                         "!document.getElementById(a.getAttribute('href').slice(1)))"
                         ".map(a => a.outerHTML)") == Json::array());
  report->click(".contents a[href='#attention']");
  CHECK(report->evaluate("location.hash") == "#attention");
  report->set_viewport(390, 800, true);
  report->open_file(report.file());
  CHECK_FALSE(is_seen(report.page(), ".contents a"));
  report->click(".contents summary");
  CHECK(is_seen(report.page(), ".contents a"));
  report->click(".contents a[href='#heads']");
  CHECK_FALSE(is_seen(report.page(), ".contents a"));
  // A figure's stage is a link to its entry, which opens.
  report->click("figcaption .origin a");
  report->wait_until("document.getElementById(location.hash.slice(1))?.closest('details').open");
  report.check_quiet();
}

TEST_CASE("in print there are no controls, all rows, light colours, and nothing is cut off") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  OpenedReport report;
  report->set_colour_scheme("dark");
  report->click("button.theme");
  report->click("button.theme");  // dark by choice, too
  report->set_media("print");
  report->set_viewport(700, 1000);  // about what A4 leaves between its margins
  CHECK(brightness(report.page()) > 240);
  for (const char* control : {"button.theme", ".contents", ".enlarge", ".show-rows", ".choices"}) {
    CAPTURE(control);
    CHECK_FALSE(is_seen(report.page(), control));
  }
  CHECK(column_cells(report.page(), 2, true).size() == 6);
  CHECK(report->evaluate("document.documentElement.scrollWidth").get<int>() <= 700);
  report.check_quiet();
}

}  // namespace
}  // namespace headway::browser
