// Words for what a stage's record says: parameters one by one, machines and moments as text. Plain
// text, which whoever shows it escapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/report/provenance.h"

namespace headway {

struct FlatParameter {
  std::string name;   // "model.d_model"
  std::string value;  // text as it is, the rest as JSON
};

// Every parameter that is not empty; those in maps by their paths.
std::vector<FlatParameter> parameters_of(const StageOrigin& stage);

// The value, or its first `most` characters and how many there are.
std::string shortened_value(const std::string& value, std::size_t most);

// "AMD EPYC 7B13, 2 cores, Debian 12, LibTorch 1.13.1": as much of it as is known.
std::string machine_text(const Json& machine);

std::string utc_text(std::int64_t unix_seconds);  // "2026-11-16 13:48 UTC"

}  // namespace headway
