#include "lib/report/reading.h"

#include <fmt/format.h>

#include <cmath>

#include "lib/base/error.h"
#include "lib/report/metric_values.h"

namespace headway {
namespace {

// Larger doubles cannot represent all integers.
constexpr double kLargestWhole = 9007199254740992.0;  // 2^53

bool is_whole(double value) {
  return value >= 0 && value <= kLargestWhole && value == std::floor(value);
}

bool is_share(double value) {
  return value >= 0 && value <= 1;
}

// Rows are counted from 1 in messages, as in Table.
[[noreturn]] void refuse_cell(const Table& table, std::size_t row, std::string_view column,
                              const std::string& origin, std::string_view expected) {
  throw Error(fmt::format("{}: row {}, column '{}': {} is expected, not '{}'", origin, row + 1,
                          column, expected, table.text(row, column)));
}

[[noreturn]] void refuse_metric(const Json& metrics, const std::string& path,
                                const std::string& origin, std::string_view expected) {
  throw Error(fmt::format("{}: '{}': {} is expected, not {}", origin, path, expected,
                          excerpt(*find_metric(metrics, path))));
}

}  // namespace

void require_columns(const Table& table, std::initializer_list<std::string_view> columns,
                     std::string_view expected, const std::string& origin) {
  for (const std::string_view column : columns) {
    if (table.has(column)) continue;
    throw Error(
        fmt::format("{}: {} is expected, but there is no column '{}'", origin, expected, column));
  }
}

double optional_number(const Table& table, std::size_t row, std::string_view column,
                       const std::string& origin) {
  double value = 0;
  try {
    value = table.number(row, column);
  } catch (const Error& error) {
    throw error.within(origin);
  }
  if (std::isinf(value)) refuse_cell(table, row, column, origin, "a finite number");
  return value;
}

double needed_number(const Table& table, std::size_t row, std::string_view column,
                     const std::string& origin) {
  const double value = optional_number(table, row, column, origin);
  if (std::isnan(value)) refuse_cell(table, row, column, origin, "a number");
  return value;
}

std::size_t whole_number(const Table& table, std::size_t row, std::string_view column,
                         const std::string& origin) {
  const double value = needed_number(table, row, column, origin);
  if (!is_whole(value)) refuse_cell(table, row, column, origin, "a whole number from 0");
  return static_cast<std::size_t>(value);
}

double share_number(const Table& table, std::size_t row, std::string_view column,
                    const std::string& origin) {
  const double value = needed_number(table, row, column, origin);
  if (!is_share(value)) refuse_cell(table, row, column, origin, "a share from 0 to 1");
  return value;
}

double positive_number(const Table& table, std::size_t row, std::string_view column,
                       const std::string& origin) {
  const double value = needed_number(table, row, column, origin);
  if (!(value > 0 && value <= kLargestWhole))
    refuse_cell(table, row, column, origin, "a number above 0, and at most 2^53");
  return value;
}

bool has_metric(const Json& metrics, const std::string& path) {
  const Json* found = find_metric(metrics, path);
  return found && !found->is_null();
}

double metric_number(const Json& metrics, const std::string& path, const std::string& origin) {
  const Json* found = find_metric(metrics, path);
  if (!found) return metric_at(metrics, path, origin);  // throws Error that lists the names
  if (!found->is_number() || !std::isfinite(found->get<double>()))
    refuse_metric(metrics, path, origin, "a number");
  return found->get<double>();
}

std::size_t metric_whole_number(const Json& metrics, const std::string& path,
                                const std::string& origin) {
  const double value = metric_number(metrics, path, origin);
  if (!is_whole(value)) refuse_metric(metrics, path, origin, "a whole number from 0");
  return static_cast<std::size_t>(value);
}

double metric_share(const Json& metrics, const std::string& path, const std::string& origin) {
  const double value = metric_number(metrics, path, origin);
  if (!is_share(value)) refuse_metric(metrics, path, origin, "a share from 0 to 1");
  return value;
}

}  // namespace headway
