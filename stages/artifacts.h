// What stages read and write, without LibTorch: arrays, tables, metrics.
#pragma once

#include "lib/base/json.h"
#include "lib/numerics/safetensors.h"
#include "lib/numerics/table.h"
#include "lib/stage/native_stage.h"

namespace headway {

// The file of an input that is a safetensors file. Errors name the input.
TensorFile read_tensors(const StageContext& context, std::string_view input);

void write_output(const StageContext& context, std::string_view output, std::string_view bytes);
void write_table(const StageContext& context, std::string_view output, const Table& table);
void write_metrics(const StageContext& context, const Json& metrics);  // output `metrics`

}  // namespace headway
