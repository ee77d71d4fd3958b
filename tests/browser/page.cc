#include "tests/browser/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "tests/browser/base64.h"
#include "tests/browser/keys.h"

namespace headway::browser {
namespace {

// Text as a JavaScript literal.
std::string quoted(const std::string& text) {
  return to_line(Json(text));
}

std::string file_url(const Path& file) {
  std::string url = "file://";
  for (const char byte : std::filesystem::absolute(file).string()) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(byte)) != 0 ||
                          std::string_view("/-_.~@").find(byte) != std::string_view::npos;
    url +=
        is_plain ? std::string(1, byte) : fmt::format("%{:02X}", static_cast<unsigned char>(byte));
  }
  return url;
}

// "x is not defined at file:///tmp/page.html:3"
std::string exception_text(const Json& details) {
  const Json thrown = details.value("exception", Json::object());
  return fmt::format("{} at {}:{}", thrown.value("description", details.value("text", "exception")),
                     details.value("url", ""), details.value("lineNumber", 0) + 1);
}

std::string console_line(const Json& params) {
  std::string line = params.value("type", "log") + ":";
  for (const Json& argument : params.value("args", Json::array())) {
    const Json value = argument.value("value", Json());
    line += " ";
    line += value.is_string() ? value.get<std::string>()
            : value.is_null() ? argument.value("description", "null")
                              : to_line(value);
  }
  return line;
}

std::string log_line(const Json& entry) {
  const std::string url = entry.value("url", "");
  return fmt::format("{}: {}{}", entry.value("level", ""), entry.value("text", ""),
                     url.empty() ? "" : " (" + url + ")");
}

}  // namespace

Page::Page(DevTools& tools) : tools_(tools) {
  target_ = tools_.call("Target.createTarget", {{"url", "about:blank"}}).at("targetId");
  session_ = tools_.call("Target.attachToTarget", {{"targetId", target_}, {"flatten", true}})
                 .at("sessionId");
  tools_.listen(session_,
                [this](const std::string& event, const Json& params) { hear(event, params); });
  for (const char* domain : {"Page", "Runtime", "Log", "Network"}) {
    call(std::string(domain) + ".enable");
  }
  call("Page.setLifecycleEventsEnabled", {{"enabled", true}});
  call("Emulation.setFocusEmulationEnabled", {{"enabled", true}});
  set_viewport(1280, 800);
  apply_media();
}

Page::~Page() {
  try {
    tools_.listen(session_, nullptr);
    tools_.send("Target.closeTarget", {{"targetId", target_}}, "");
  } catch (const Error&) {  // the browser is gone, and the page with it
  }
}

Json Page::call(const std::string& method, const Json& params) {
  return tools_.call(method, params, session_);
}

void Page::hear(const std::string& event, const Json& params) {
  if (event == "Page.lifecycleEvent") {
    if (params.at("name") == "load") loaded_.insert(params.at("loaderId").get<std::string>());
  } else if (event == "Runtime.consoleAPICalled") {
    console_.push_back(console_line(params));
  } else if (event == "Runtime.exceptionThrown") {
    console_.push_back("exception: " + exception_text(params.at("exceptionDetails")));
  } else if (event == "Log.entryAdded") {
    console_.push_back(log_line(params.at("entry")));
  } else if (event == "Network.requestWillBeSent") {
    requests_.push_back(params.at("request").at("url"));
  } else if (event == "Page.javascriptDialogOpening") {
    dialogs_.push_back(params.value("message", ""));
    tools_.send("Page.handleJavaScriptDialog", {{"accept", false}}, session_);
  }
}

void Page::open(const std::string& url) {
  console_.clear();
  requests_.clear();
  dialogs_.clear();
  const Json answer = call("Page.navigate", {{"url", url}});
  if (answer.contains("errorText")) {
    throw Error(fmt::format("cannot open {}: {}", url, answer.value("errorText", "")));
  }
  const std::string loader = answer.at("loaderId");
  tools_.wait("the loading of " + url, [&] { return loaded_.contains(loader); });
}

void Page::open_file(const Path& file) {
  open(file_url(file));
}

Json Page::evaluate(const std::string& expression) {
  const Json answer = call("Runtime.evaluate", {{"expression", expression},
                                                {"returnByValue", true},
                                                {"awaitPromise", true},
                                                {"userGesture", true}});
  if (answer.contains("exceptionDetails")) {
    throw Error(fmt::format("{}: {}", expression, exception_text(answer["exceptionDetails"])));
  }
  return answer.at("result").value("value", Json());
}

void Page::wait_until(const std::string& expression) {
  tools_.wait(expression, [&] { return evaluate("Boolean(" + expression + ")").get<bool>(); });
}

void Page::settle() {
  // Twice: the first frame draws what is there now, the second comes after it was drawn.
  evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

Page::Point Page::place_in(const std::string& selector, double x, double y) {
  const Json place = evaluate(fmt::format(
      R"js((() => {{
        const element = document.querySelector({0});
        if (!element) return "is not in the page";
        element.scrollIntoView({{block: "center", inline: "center", behavior: "instant"}});
        const box = element.getBoundingClientRect();
        if (box.width === 0 || box.height === 0) return "has no size";
        const x = box.left + box.width * {1}, y = box.top + box.height * {2};
        const top = document.elementFromPoint(x, y);
        if (!top) return "is outside of the window";
        if (!element.contains(top) && !top.contains(element))
          return "lies under " + top.outerHTML.slice(0, 200);
        return {{x, y}};
      }})())js",
      quoted(selector), x, y));
  if (place.is_string()) throw Error(selector + " " + place.get<std::string>());
  return {place.at("x"), place.at("y")};
}

void Page::move_to(Point point) {
  call("Input.dispatchMouseEvent", {{"type", "mouseMoved"}, {"x", point.x}, {"y", point.y}});
}

void Page::hover_at(const std::string& selector, double x, double y) {
  move_to(place_in(selector, x, y));
}

void Page::click_at(const std::string& selector, double x, double y) {
  const Point point = place_in(selector, x, y);
  move_to(point);
  for (const char* type : {"mousePressed", "mouseReleased"}) {
    call("Input.dispatchMouseEvent",
         {{"type", type}, {"x", point.x}, {"y", point.y}, {"button", "left"}, {"clickCount", 1}});
  }
  settle();  // a dialog reports its closing only later
}

void Page::hover(const std::string& selector) {
  hover_at(selector, 0.5, 0.5);
}

void Page::click(const std::string& selector) {
  click_at(selector, 0.5, 0.5);
}

void Page::focus(const std::string& selector) {
  const Json has_focus = evaluate(fmt::format(
      R"js((() => {{
        const element = document.querySelector({});
        if (element) element.focus();
        return element !== null && document.activeElement === element;
      }})())js",
      quoted(selector)));
  if (has_focus != true) throw Error(selector + " does not take the focus");
}

void Page::choose(const std::string& selector, const std::string& value) {
  const Json is_chosen = evaluate(fmt::format(
      R"js((() => {{
        const element = document.querySelector({});
        if (!element) return false;
        element.focus();
        element.value = {};
        if (element.selectedIndex < 0) return false;
        for (const type of ["input", "change"])
          element.dispatchEvent(new Event(type, {{bubbles: true}}));
        return true;
      }})())js",
      quoted(selector), quoted(value)));
  if (is_chosen != true) throw Error(fmt::format("{} has no option {}", selector, value));
}

void Page::press(const std::string& key) {
  for (const Json& event : key_events(key)) call("Input.dispatchKeyEvent", event);
  settle();
}

void Page::set_viewport(int width, int height, bool is_phone) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", is_phone}});
  settle();
}

void Page::set_colour_scheme(const std::string& scheme) {
  scheme_ = scheme;
  apply_media();
  settle();  // the page notices in its next frame
}

void Page::set_media(const std::string& media) {
  media_ = media;
  apply_media();
  settle();  // the page notices in its next frame
}

void Page::apply_media() {
  const Json scheme{{"name", "prefers-color-scheme"}, {"value", scheme_}};
  // Pictures and places must not depend on how far an animation has come.
  const Json motion{{"name", "prefers-reduced-motion"}, {"value", "reduce"}};
  call("Emulation.setEmulatedMedia",
       {{"media", media_}, {"features", Json::array({scheme, motion})}});
}

std::string Page::captured(const Json& params) {
  return base64_decoded(call("Page.captureScreenshot", params).at("data").get<std::string>());
}

std::string Page::screenshot() {
  return captured({{"format", "png"}});
}

std::string Page::full_screenshot() {
  return captured({{"format", "png"}, {"captureBeyondViewport", true}});
}

}  // namespace headway::browser
