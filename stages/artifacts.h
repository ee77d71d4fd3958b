// What stages read and write, without LibTorch: arrays, tables, metrics.
#pragma once

#include "lib/base/json.h"
#include "lib/figures/kinds.h"
#include "lib/stage/native_stage.h"

namespace headway {

// The file of an input that is a safetensors file. Errors name the input.
TensorFile read_tensors(const StageContext& context, std::string_view input);

// The files of the input `table`, named as people know them.
std::vector<FigureSource> read_table_inputs(const StageContext& context);

void write_output(const StageContext& context, std::string_view output, std::string_view bytes);
void write_table(const StageContext& context, std::string_view output, const Table& table);
void write_metrics(const StageContext& context, const Json& metrics);  // output `metrics`

}  // namespace headway
