// A page as a person uses it: looks, points, clicks, presses keys. Records everything the page
// printed on its console and everything it requested. Problems throw an Error and so fail the test.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/base/json.h"
#include "tests/browser/dev_tools.h"

namespace headway::browser {

class Page {
 public:
  explicit Page(DevTools& tools);
  ~Page();
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  // Waits until it is loaded. Records of the previous page are cleared.
  void open(const std::string& url);
  void open_file(const Path& file);  // as file://

  // The value of an expression; for a promise, its result.
  Json evaluate(const std::string& expression);
  void wait_until(const std::string& expression);
  // Waits until pending changes are drawn and the browser's events about them have arrived.
  void settle();

  // Elements are given by CSS selectors: the first that matches. Throws Error if there is none, if
  // it has no size, or if something else covers it.
  void click(const std::string& selector);
  void hover(const std::string& selector);
  // At a place inside: 0 is its left (or upper) edge, 1 its right (or lower) one.
  void click_at(const std::string& selector, double x, double y);
  void hover_at(const std::string& selector, double x, double y);
  void focus(const std::string& selector);
  // Of a <select>: the option with that value, as if a person chose it.
  void choose(const std::string& selector, const std::string& value);
  // "Tab", "Enter", "Escape", "Space", "ArrowLeft", "Home", "a"; "Shift+Tab".
  void press(const std::string& key);

  void set_viewport(int width, int height, bool is_phone = false);
  void set_colour_scheme(const std::string& scheme);  // "light", "dark"
  void set_media(const std::string& media);           // "screen", "print"

  std::string screenshot();       // PNG of what is visible
  std::string full_screenshot();  // of the whole page

  // Everything printed on the console by scripts and by the browser, including uncaught exceptions
  // and violations of the content security policy: "error: x is not defined".
  const std::vector<std::string>& console() const { return console_; }
  // Every requested address, including the page's own.
  const std::vector<std::string>& requests() const { return requests_; }
  // The messages of alert() and similar dialogs, which are dismissed immediately.
  const std::vector<std::string>& dialogs() const { return dialogs_; }

 private:
  struct Point {
    double x = 0;
    double y = 0;
  };

  Json call(const std::string& method, const Json& params = Json::object());
  void hear(const std::string& event, const Json& params);
  Point place_in(const std::string& selector, double x, double y);
  void move_to(Point point);
  void apply_media();
  std::string captured(const Json& params);

  DevTools& tools_;
  std::string target_;
  std::string session_;
  std::set<std::string> loaded_;  // documents, by the number of their loader
  std::string scheme_ = "light";
  std::string media_;
  std::vector<std::string> console_;
  std::vector<std::string> requests_;
  std::vector<std::string> dialogs_;
};

}  // namespace headway::browser
