// Numbers out of artifacts, for sentences: a number that a sentence needs is there and is a number,
// and a count is a whole one, or an Error says where it is not. `origin` is the artifact's
// ("ablate@zero.heads"), for the message.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "lib/base/json.h"
#include "lib/numerics/table.h"

namespace headway {

// An Error that names the first column that is missing; `expected` is what the artifact should be
// ("a table of heads").
void require_columns(const Table& table, std::initializer_list<std::string_view> columns,
                     std::string_view expected, const std::string& origin);

// The cell as a number; NaN where it is empty. An Error where it is something else, or infinite.
double optional_number(const Table& table, std::size_t row, std::string_view column,
                       const std::string& origin);
// The same, but an Error where it is empty.
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

// Of metrics, by name or path ("pruned.greedy"). `has_metric`: there is something, not null.
bool has_metric(const Json& metrics, const std::string& path);
double metric_number(const Json& metrics, const std::string& path, const std::string& origin);
std::size_t metric_whole_number(const Json& metrics, const std::string& path,
                                const std::string& origin);
double metric_share(const Json& metrics, const std::string& path, const std::string& origin);

}  // namespace headway
