// Parameters, machines and dates as plain text, not escaped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/report/provenance.h"

namespace headway {

struct FlatParameter {
  std::string name;   // "model.d_model"
  std::string value;  // text unquoted, other values as JSON
};

// All non-empty parameters; those in maps have dotted paths.
std::vector<FlatParameter> parameters_of(const StageOrigin& stage);

// The value, or its first `most` characters and its length.
std::string shortened_value(const std::string& value, std::size_t most);

// The known parts of "AMD EPYC 7B13, 2 cores, Debian 12, LibTorch 1.13.1".
std::string machine_text(const Json& machine);

std::string utc_text(std::int64_t unix_seconds);  // "2026-11-16 13:48 UTC"

}  // namespace headway
