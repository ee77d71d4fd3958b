#include "lib/base/source_location.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <tuple>

#include "lib/base/text.h"

namespace headway {

const std::string* SourceLocation::intern(std::string_view source) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> sources;
  const std::lock_guard lock(mutex);
  const auto found = sources.find(source);
  return found != sources.end() ? &*found : &*sources.emplace(source).first;
}

std::string SourceLocation::text() const {
  const std::string name = source ? printable(*source) : "pipeline";
  return line > 0 ? fmt::format("{}:{}:{}", name, line, column) : name;
}

void Diagnostics::add(const SourceLocation& location, std::string message) {
  found_.push_back({location, std::move(message)});
}

std::string Diagnostics::text() const {
  constexpr std::size_t kMost = 100;      // lines
  constexpr std::size_t kLongest = 1000;  // columns; a message may quote a name of any length
  static const std::string kNone;
  std::vector<Diagnostic> sorted = found_;
  std::ranges::stable_sort(sorted, {}, [](const Diagnostic& one) {
    const auto& [source, line, column] = one.location;
    return std::tie(source ? *source : kNone, line, column);
  });
  std::vector<std::string> lines;
  std::set<std::string> seen;
  for (const auto& [location, message] : sorted) {
    std::string line =
        fmt::format("{}: {}", fit(location.text(), kLongest), fit(printable(message), kLongest));
    if (seen.insert(line).second) lines.push_back(std::move(line));
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), kMost); ++i)
    text += (i ? "\n" : "") + lines[i];
  if (lines.size() > kMost) text += fmt::format("\n… and {} more mistakes", lines.size() - kMost);
  return text;
}

void Diagnostics::throw_if_any() const {
  if (!found_.empty()) throw PipelineError(text());
}

}  // namespace headway
