// Screenshots of any page, for inspection: HEADWAY_PAGE=report/index.html
// HEADWAY_SCREENSHOTS=/tmp/pictures
//     browser_tests "[.screenshots]"
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>

#include "tests/browser/browser.h"

namespace headway::browser {
namespace {

constexpr int kPieceHeight = 1600;  // a whole report in one picture is too tall to view

// In pieces, scrolled to as a reader would, so that what sticks to the window shows where it does.
void take_pictures(Page& page, const Path& folder, const std::string& name) {
  const int height = page.evaluate("document.documentElement.scrollHeight").get<int>();
  for (int piece = 0, top = 0; top < height; ++piece, top += kPieceHeight) {
    page.evaluate(fmt::format("window.scrollTo({{top: {}, behavior: 'instant'}})", top));
    page.settle();
    const Path file = folder / fmt::format("{}-{:02}.png", name, piece);
    RealFileSystem().write(file, page.screenshot(), Durability::kCached);
    fmt::print("{}\n", file.string());
  }
}

TEST_CASE("screenshots of a page, for inspection", "[.screenshots]") {
  const char* file = std::getenv("HEADWAY_PAGE");
  const char* folder = std::getenv("HEADWAY_SCREENSHOTS");
  if (!file || !folder) FAIL("set HEADWAY_PAGE to a page, and HEADWAY_SCREENSHOTS to a folder");
  std::filesystem::create_directories(folder);
  Browser chromium;
  const auto page = chromium.new_page();
  for (const int width : {1280, 390}) {
    page->set_viewport(width, kPieceHeight, /*is_phone=*/width < 500);
    for (const char* scheme : {"light", "dark"}) {
      page->set_colour_scheme(scheme);
      page->open_file(file);
      take_pictures(*page, folder, fmt::format("{}-{}", width, scheme));
    }
    const int needed = page->evaluate("document.documentElement.scrollWidth").get<int>();
    if (needed > width) fmt::print("at {} pixels the page is {} wide\n", width, needed);
  }
  for (const std::string& line : page->console()) fmt::print("console: {}\n", line);
}

}  // namespace
}  // namespace headway::browser
