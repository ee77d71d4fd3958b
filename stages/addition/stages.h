// Stage types of the addition study. NAME_stage() declares one, run_NAME() runs it, in the worker's
// addition_native.cc if it needs LibTorch.
#pragma once

#include "lib/stage/native_stage.h"

namespace headway {

StageType generate_addition_stage();
void run_generate_addition(StageContext& context);

// Imports a dataset from other programs.
StageType import_dataset_stage();
void run_import_dataset(StageContext& context);

// Attention of the heads, for single problems and on average.
struct AttentionMapsParams {
  std::vector<std::string> problems;
  std::int64_t sampled = 4;
  std::string split = "test";
  std::uint64_t seed = 641;

  static SchemaOf<AttentionMapsParams> schema();
};
StageType attention_maps_stage();

// A model's accuracy, and its mistakes.
struct EvaluateSeq2SeqParams {
  std::string split = "test";
  bool exhaustive = false;

  static SchemaOf<EvaluateSeq2SeqParams> schema();
};
StageType evaluate_seq2seq_stage();

}  // namespace headway
