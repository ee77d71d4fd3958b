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
  std::vector<const Diagnostic*> sorted;
  for (const Diagnostic& diagnostic : found_) sorted.push_back(&diagnostic);
  static const std::string kNone;
  const auto place = [](const Diagnostic* d) {
    const std::string& source = d->location.source ? *d->location.source : kNone;
    return std::tie(source, d->location.line, d->location.column);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Diagnostic* a, const Diagnostic* b) { return place(a) < place(b); });
  std::vector<std::string> lines;
  std::set<std::string> seen;
  for (const Diagnostic* diagnostic : sorted) {
    std::string line = fmt::format("{}: {}", fit(diagnostic->location.text(), kLongest),
                                   fit(printable(diagnostic->message), kLongest));
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
