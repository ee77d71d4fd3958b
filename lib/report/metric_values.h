// Finds numbers in metrics (JSON) by path, and formats them.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/numerics/table.h"
#include "lib/report/sources.h"

namespace headway {

// The value at a path such as "accuracy.swaps.256" or "digits.0" (indices start at 0). Keys may
// contain dots. Null if there is none.
const Json* find_metric(const Json& metrics, std::string_view path);

// The number at the path. Throws Error that begins with `name` and lists the numbers if there is
// none.
double metric_at(const Json& metrics, const std::string& path, const std::string& name);

// The value on one line, as in YAML: texts without quotes.
std::string plain_text(const Json& value);

// All numbers and texts in metrics as a table with the columns metric and value.
Table metrics_table(const SourceFile& file);

}  // namespace headway
