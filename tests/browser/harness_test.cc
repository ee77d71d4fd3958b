// Tests of the harness itself: a test that says "the console is clean" is worth something only if a
// console that is not clean would be noticed.
#include <signal.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "lib/base/error.h"
#include "tests/browser/browser.h"

namespace headway::browser {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using Catch::Matchers::StartsWith;

class ShownPage {
 public:
  explicit ShownPage(const std::string& body) : page_(browser_.new_page()) {
    const std::string head =
        "<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        "<title>test</title>";
    RealFileSystem().write(file(), head + body, Durability::kCached);
    page_->open_file(file());
  }

  Path file() const { return folder_.path() / "a page.html"; }
  Browser& browser() { return browser_; }
  Page* operator->() { return page_.get(); }

 private:
  TemporaryFolder folder_;
  Browser browser_;
  std::unique_ptr<Page> page_;
};

bool says(const std::vector<std::string>& lines, const std::string& part) {
  for (const std::string& line : lines) {
    if (line.find(part) != std::string::npos) return true;
  }
  return false;
}

// Some records come from other processes of the browser, after what the page itself has drawn.
bool says_soon(ShownPage& page, const std::vector<std::string>& lines, const std::string& part) {
  for (int i = 0; i < 1000 && !says(lines, part); ++i) page->settle();
  return says(lines, part);
}

std::uint32_t number_in_png(const std::string& png, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number = number << 8 | static_cast<unsigned char>(png[at + i]);
  return number;
}

TEST_CASE("console messages of a page are recorded") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  ShownPage page(R"(<meta http-equiv=Content-Security-Policy content="img-src 'none'">
    <img src="x.png" alt="">
    <script>
      console.warn("a warning", 7);
      addEventListener("error", () => { window.seen = true; });
      Promise.reject(new Error("a rejection"));
      alert("a dialog");
      undefined_function();
    </script>)");
  page->wait_until("window.seen");
  page->settle();
  CAPTURE(page->console());
  CHECK(says_soon(page, page->console(), "warning: a warning 7"));
  CHECK(says_soon(page, page->console(), "undefined_function is not defined"));
  CHECK(says_soon(page, page->console(), "a rejection"));
  CHECK(says_soon(page, page->console(), "Content Security Policy"));
  CHECK(page->dialogs() == std::vector<std::string>{"a dialog"});

  CHECK_THROWS_MATCHES(page->evaluate("no_such_thing"), Error,
                       MessageMatches(ContainsSubstring("no_such_thing is not defined")));
  CHECK(page->evaluate("Promise.resolve({a: [1, 'x', null]})") ==
        Json{{"a", Json::array({1, "x", nullptr})}});
}

TEST_CASE("requests of a page are recorded, and a page without requests has none") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  ShownPage page("<p>Nothing.</p>");
  page->settle();
  CHECK(page->console().empty());
  CHECK(page->dialogs().empty());
  REQUIRE(page->requests().size() == 1);
  CHECK_THAT(page->requests()[0], StartsWith("file:///"));
  CHECK_THAT(page->requests()[0], ContainsSubstring("a%20page.html"));

  page->evaluate("fetch('https://example.org/fetched').catch(() => 0)");
  page->evaluate("document.body.append(Object.assign(new Image(), {src: 'beside.png'}))");
  page->settle();
  CAPTURE(page->requests());
  CHECK(says_soon(page, page->requests(), "https://example.org/fetched"));
  CHECK(says_soon(page, page->requests(), "beside.png"));
  // The browser has no network access, whatever a page tries.
  CHECK(says_soon(page, page->console(), "net::ERR_"));

  page->open_file(page.file());
  CHECK(page->requests().size() == 1);
  CHECK_THROWS_MATCHES(page->open("file:///no/such/page.html"), Error,
                       MessageMatches(ContainsSubstring("ERR_FILE_NOT_FOUND")));
}

TEST_CASE("the mouse acts like a person's: events are trusted, hidden elements cannot be clicked") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  ShownPage page(R"(<style>#far {margin: 5000px 0} #far:hover {color: rgb(1, 2, 3)}
      .covered {position: relative; width: 80px; height: 40px}
      .covered * {position: absolute; inset: 0}</style>
    <button id=far>far</button>
    <div class=covered><button id=under>under</button><div id=over></div></div>
    <button id=gone hidden>gone</button>
    <script>
      far.onclick = event => { window.clicked = [event.isTrusted, event.offsetX > 1]; };
      far.onmouseenter = () => { window.entered = true; };
    </script>)");
  page->hover("#far");
  CHECK(page->evaluate("window.entered") == true);
  CHECK(page->evaluate("getComputedStyle(far).color") == "rgb(1, 2, 3)");
  CHECK(page->evaluate("window.clicked") == nullptr);
  page->click("#far");
  CHECK(page->evaluate("window.clicked") == Json::array({true, true}));
  page->click_at("#far", 0.01, 0.5);
  CHECK(page->evaluate("window.clicked") == Json::array({true, false}));

  CHECK_THROWS_MATCHES(page->click("#under"), Error,
                       MessageMatches(ContainsSubstring("lies under <div id=\"over\">")));
  CHECK_THROWS_MATCHES(page->click("#gone"), Error,
                       MessageMatches(ContainsSubstring("has no size")));
  CHECK_THROWS_MATCHES(page->hover("#nowhere"), Error,
                       MessageMatches(ContainsSubstring("is not in the page")));
}

TEST_CASE("keys act like real keys") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  ShownPage page(R"(<a id=link href="#there">link</a><button id=button>b</button>
    <input id=text><input id=range type=range max=10 value=5>
    <select id=select><option>one<option value=2>two</select>
    <dialog id=dialog><button>inside</button></dialog><p id=there>there</p>
    <script>
      window.presses = 0;
      button.onclick = () => { window.presses += 1; };
      select.onchange = event => { window.chosen = event.target.value; };
    </script>)");
  const auto focused = [&] { return page->evaluate("document.activeElement.id"); };
  page->press("Tab");
  CHECK(focused() == "link");
  page->press("Enter");
  CHECK(page->evaluate("location.hash") == "#there");
  page->focus("#button");
  page->press("Enter");
  page->press("Space");
  CHECK(page->evaluate("window.presses") == 2);
  page->press("Tab");
  for (const char* key : {"a", "Shift+B", "Space", "c"}) page->press(key);
  CHECK(page->evaluate("text.value") == "aB c");
  page->press("Tab");
  page->press("ArrowRight");
  CHECK(page->evaluate("range.value") == "6");
  page->press("Home");
  CHECK(page->evaluate("range.value") == "0");
  page->press("Shift+Tab");
  CHECK(focused() == "text");
  page->evaluate("dialog.showModal()");
  page->press("Escape");
  CHECK(page->evaluate("dialog.open") == false);

  page->choose("#select", "2");
  CHECK(page->evaluate("window.chosen") == "2");
  CHECK_THROWS_MATCHES(page->choose("#select", "3"), Error,
                       MessageMatches(ContainsSubstring("has no option 3")));
  CHECK_THROWS_MATCHES(page->press("Entre"), Error, MessageMatches(ContainsSubstring("Enter")));
  CHECK_THROWS_MATCHES(page->focus("#there"), Error,
                       MessageMatches(ContainsSubstring("does not take the focus")));
}

TEST_CASE("window size, colour scheme and paper are set by the test, and screenshots show them") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  ShownPage page("<body style='margin: 0'><div style='height: 3000px'></div>");
  const auto matches = [&](const std::string& query) {
    return page->evaluate("matchMedia('" + query + "').matches").get<bool>();
  };
  CHECK(page->evaluate("innerWidth") == 1280);
  CHECK(matches("(prefers-color-scheme: light)"));
  CHECK(matches("screen"));
  page->set_viewport(390, 844, true);
  page->set_colour_scheme("dark");
  CHECK(page->evaluate("innerWidth") == 390);
  CHECK(matches("(prefers-color-scheme: dark)"));
  CHECK(matches("screen"));

  const std::string png = page->screenshot();
  CHECK_THAT(png, StartsWith("\x89PNG\r\n"));
  CHECK(number_in_png(png, 16) == 390);
  CHECK(number_in_png(png, 20) == 844);
  CHECK(number_in_png(page->full_screenshot(), 20) == 3000);

  page->set_media("print");
  CHECK(matches("print"));
  CHECK(matches("(prefers-color-scheme: dark)"));
}

TEST_CASE("a page that hangs is an error, and no process of its browser is left") {
  if (chromium_path().empty()) SKIP(kNoChromium);
  Path profile;
  pid_t process = 0;
  try {
    ShownPage page("");
    profile = page.browser().profile();
    process = page.browser().process();
    REQUIRE(::kill(-process, 0) == 0);
    page.browser().set_patience(0.3);
    page->evaluate("(() => { for (;;) {} })()");
    FAIL("it came back");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "waited in vain for the answer to Runtime.evaluate");
  }
  CHECK(!std::filesystem::exists(profile));
  // A killed process is gone only when its new parent has reaped it.
  bool is_gone = false;
  for (int i = 0; i < 6000 && !is_gone; ++i) {
    is_gone = ::kill(-process, 0) != 0;
    if (!is_gone) ::usleep(10'000);
  }
  CHECK(is_gone);
}

}  // namespace
}  // namespace headway::browser
