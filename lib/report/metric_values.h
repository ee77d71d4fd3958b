// Finds numbers in metrics (JSON) by path, and formats them.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/numerics/table.h"
#include "lib/report/sources.h"

namespace headway {

// The value at a path such as "accuracy.swaps.256" or "digits.0" (lists count from 0). Keys may
// have dots themselves. Null: no such value.
const Json* find_metric(const Json& metrics, std::string_view path);

// The number at the path. Throws Error that begins with `name` and lists the numbers, if there is
// none.
double metric_at(const Json& metrics, const std::string& path, const std::string& name);

// The value in one line, as in YAML: text without quotes.
std::string plain_text(const Json& value);

// All numbers and texts of metrics as a table with the columns metric and value.
Table metrics_table(const SourceFile& file);

}  // namespace headway
