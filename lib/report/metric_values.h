// Numbers in metrics (JSON), found by their paths and written for people.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/numerics/table.h"
#include "lib/report/sources.h"

namespace headway {

// "accuracy.swaps.256", "digits.0" (of a list, from 0): keys with dots between; keys may have dots
// themselves. Null: not there.
const Json* find_metric(const Json& metrics, std::string_view path);

// The number at the path; an Error that lists what there is, introduced by `name`.
double metric_at(const Json& metrics, const std::string& path, const std::string& name);

// A value as one would write it in YAML, in one line: text without quotes.
std::string plain_text(const Json& value);

// All numbers and texts of metrics as a table: metric, value.
Table metrics_table(const SourceFile& file);

}  // namespace headway
