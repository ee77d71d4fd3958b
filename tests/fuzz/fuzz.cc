#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "lib/base/text.h"

namespace headway::fuzz {
namespace {

std::map<std::string, Run, std::less<>>& all_targets() {
  static std::map<std::string, Run, std::less<>> targets;
  return targets;
}

}  // namespace

Target::Target(const char* name, Run run) {
  all_targets().emplace(name, run);
}

Run find_target(std::string_view name) {
  const auto found = all_targets().find(name);
  return found == all_targets().end() ? nullptr : found->second;
}

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const auto& [name, run] : all_targets()) names.push_back(name);
  return names;
}

void fail(std::string_view rule, std::string_view what) {
  std::fprintf(stderr, "broken rule: %s\n%s\n", std::string(rule).c_str(),
               std::string(what).c_str());
  std::abort();
}

void require(bool holds, std::string_view rule, std::string_view what) {
  if (!holds) fail(rule, what);
}

void check_message(std::string_view message, std::initializer_list<std::string_view> places) {
  for (const std::string& line : split(message, '\n')) {
    require(!line.empty(), "a message has no empty lines", message);
    require(printable(line) == line, "a message has no control characters, and is UTF-8", message);
    if (line.starts_with("… and ") && line.ends_with(" more mistakes")) continue;
    require(std::any_of(places.begin(), places.end(),
                        [&](std::string_view place) { return line.starts_with(place); }),
            "a message begins with the place of the mistake", message);
  }
}

std::vector<std::string> parts_of(std::string_view input, std::size_t count) {
  constexpr std::string_view kBetween = "\n====\n";
  std::vector<std::string> parts;
  while (parts.size() + 1 < count && input.find(kBetween) != std::string_view::npos) {
    const std::size_t end = input.find(kBetween);
    parts.emplace_back(input.substr(0, end + 1));
    input.remove_prefix(end + kBetween.size());
  }
  parts.emplace_back(input);
  parts.resize(count);
  return parts;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines = split(text, '\n');
  std::erase(lines, "");
  return lines;
}

}  // namespace headway::fuzz
