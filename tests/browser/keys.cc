#include "tests/browser/keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "lib/base/error.h"

namespace headway::browser {
namespace {

struct Key {
  std::string name;  // of KeyboardEvent.key, but for the space
  int code = 0;      // the number that browsers use
  std::string text;  // what it types
};

const std::vector<Key> kKeys{
    {"ArrowDown", 40, ""}, {"ArrowLeft", 37, ""}, {"ArrowRight", 39, ""}, {"ArrowUp", 38, ""},
    {"End", 35, ""},       {"Enter", 13, "\r"},   {"Escape", 27, ""},     {"Home", 36, ""},
    {"PageDown", 34, ""},  {"PageUp", 33, ""},    {"Space", 32, " "},     {"Tab", 9, ""},
};

Key find_key(const std::string& name) {
  if (name.size() == 1) {
    return {name, std::toupper(static_cast<unsigned char>(name[0])), name};
  }
  const auto key = std::find_if(kKeys.begin(), kKeys.end(),
                                [&](const Key& known) { return known.name == name; });
  if (key != kKeys.end()) return *key;
  std::vector<std::string> names;
  for (const Key& known : kKeys) names.push_back(known.name);
  throw Error(
      fmt::format("no key '{}'; there are single letters and {}", name, fmt::join(names, ", ")));
}

}  // namespace

std::vector<Json> key_events(const std::string& key) {
  static const std::string kShift = "Shift+";
  const bool shifted = key.starts_with(kShift);
  const Key found = find_key(shifted ? key.substr(kShift.size()) : key);
  Json event{{"key", found.name == "Space" ? " " : found.name},
             {"windowsVirtualKeyCode", found.code},
             {"modifiers", shifted ? 8 : 0}};
  if (found.name.size() > 1) event["code"] = found.name;
  Json down = event, up = event;
  // Without text it is a key that types nothing; with it, links and buttons act on it too.
  down["type"] = found.text.empty() ? "rawKeyDown" : "keyDown";
  if (!found.text.empty()) down["text"] = found.text;
  up["type"] = "keyUp";
  return {down, up};
}

}  // namespace headway::browser
