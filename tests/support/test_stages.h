// Stage types that use everything a declaration can have, and the real `shell`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/stage/stage_type.h"

namespace headway::testing {

struct ModelParams {
  std::int64_t d_model = 64;
  std::int64_t n_heads = 4;
  double dropout = 0.1;
};

struct TrainParams {
  std::int64_t epochs = 10;
  double lr = 0.001;
  bool shuffle = true;
  std::string mode = "fast";
  std::string note;
  std::vector<std::int64_t> seeds = {1};
  std::vector<double> betas = {0.9, 0.999};
  FilePath config;
  std::vector<FilePath> code;
  VariableName variable;
  ModelParams model;
};

const SchemaOf<TrainParams>& train_schema();

// make-data (out: data), train-model (in: data, maybe start; out: model, metrics),
// plot-tables (in: tables, many; out: figure), and shell.
const StageRegistry& test_stages();

}  // namespace headway::testing
