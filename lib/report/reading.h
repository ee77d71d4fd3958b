// Reads and checks numbers from artifacts. All throw Error with the location if a number is missing
// or not as expected. `origin` names the artifact ("ablate@zero.heads") in messages.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "lib/base/json.h"
#include "lib/numerics/table.h"

namespace headway {

// Throws Error that names the first missing column. `expected` describes the artifact ("a table of
// heads").
void require_columns(const Table& table, std::initializer_list<std::string_view> columns,
                     std::string_view expected, const std::string& origin);

// The cell as a finite number; NaN if it is empty.
double optional_number(const Table& table, std::size_t row, std::string_view column,
                       const std::string& origin);
// The cell as a finite number; must not be empty.
double needed_number(const Table& table, std::size_t row, std::string_view column,
                     const std::string& origin);
// A count: 0, 1, 2, …
std::size_t whole_number(const Table& table, std::size_t row, std::string_view column,
                         const std::string& origin);
// From 0 to 1.
double share_number(const Table& table, std::size_t row, std::string_view column,
                    const std::string& origin);
// Above 0.
double positive_number(const Table& table, std::size_t row, std::string_view column,
                       const std::string& origin);

// The same for metrics, by name or path ("pruned.greedy"). has_metric: exists and is not null.
bool has_metric(const Json& metrics, const std::string& path);
double metric_number(const Json& metrics, const std::string& path, const std::string& origin);
std::size_t metric_whole_number(const Json& metrics, const std::string& path,
                                const std::string& origin);
double metric_share(const Json& metrics, const std::string& path, const std::string& origin);

}  // namespace headway
