#include "lib/sweep/axis.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "lib/base/text.h"
#include "lib/sweep/axis_range.h"

namespace headway {
namespace {

// Equal for values that mean the same: 1 and 1.0 would be the same trial.
std::string identity_of(const Value& value) {
  const double* real = value.real();
  const bool integral = real && std::abs(*real) < 1e15 && *real == std::floor(*real);
  return integral ? std::to_string(static_cast<std::int64_t>(*real)) : to_line(to_json(value));
}

std::string shown(const Value& value) {
  return fit(printable(value.text() ? *value.text() : to_line(to_json(value))), 40);
}

bool check_list(const ValueList& list, const SourceLocation& location, const std::string& subject,
                Diagnostics& diagnostics) {
  if (list.empty()) {
    diagnostics.add(location, subject + ": the list is empty; give it at least one value");
    return false;
  }
  std::set<std::string> seen;
  bool good = true;
  for (const Value& value : list) {
    if (seen.insert(identity_of(value)).second) continue;
    diagnostics.add(value.location,
                    fmt::format("{}: the value {} is listed twice", subject, shown(value)));
    good = false;
  }
  return good;
}

}  // namespace

std::optional<Axis> read_axis(const std::string& path, const SourceLocation& location,
                              const Value& declared, bool whole, Diagnostics& diagnostics) {
  const std::string subject = fmt::format("axis '{}'", printable(path));
  Axis axis{path, location, {}, {}};
  if (const ValueList* list = declared.list()) {
    if (!check_list(*list, declared.location, subject, diagnostics)) return std::nullopt;
    axis.values = *list;
    return axis;
  }
  if (!declared.text()) {
    diagnostics.add(declared.location,
                    fmt::format("{}: expected a list of values or a range such as "
                                "log:1e-4..1e-1:4, got {}",
                                subject, declared.describe()));
    return std::nullopt;
  }
  try {
    RangePoints read = read_range(*declared.text(), whole, declared.location);
    axis.range = read.range;
    axis.values = std::move(read.points);
  } catch (const Error& error) {
    diagnostics.add(declared.location, fmt::format("{}: {}", subject, error.what()));
    return std::nullopt;
  }
  return axis;
}

}  // namespace headway
