// Reads and writes artifacts of stages without LibTorch: datasets, arrays, tables, metrics.
#pragma once

#include "lib/base/json.h"
#include "lib/data/dataset.h"
#include "lib/figures/kinds.h"
#include "lib/stage/native_stage.h"

namespace headway {

// Reads a safetensors input. Throws Error that names the input.
TensorFile read_tensors(const StageContext& context, std::string_view input);

Dataset read_dataset(const StageContext& context);  // input `data`

// The files of the input `table`, with the names that people know.
std::vector<FigureSource> read_table_inputs(const StageContext& context);

void write_output(const StageContext& context, std::string_view output, std::string_view bytes);
void write_table(const StageContext& context, std::string_view output, const Table& table);
void write_metrics(const StageContext& context, const Json& metrics);  // output `metrics`

// Throws Error if the output `metrics`, where there is one, has what the stage's type does not
// declare: whoever asked for it would be refused.
void check_metrics(const StageContext& context, const StageType& type);

}  // namespace headway
