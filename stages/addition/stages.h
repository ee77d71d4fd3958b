// The stage types of the study of addition. NAME_stage() declares one, run_NAME() runs it.
#pragma once

#include "lib/stage/native_stage.h"

namespace headway {

StageType generate_addition_stage();
void run_generate_addition(StageContext& context);

// A dataset that other programs wrote.
StageType import_dataset_stage();
void run_import_dataset(StageContext& context);

// What the heads look at, in single problems and on average.
struct AttentionMapsParams {
  std::vector<std::string> problems;
  std::int64_t sampled = 4;
  std::string split = "test";
  std::int64_t seed = 641;

  static SchemaOf<AttentionMapsParams> schema();
};
StageType attention_maps_stage();
void run_attention_maps(StageContext& context);

// How often a model is right, and where it is not.
struct EvaluateSeq2SeqParams {
  std::string split = "test";
  bool exhaustive = false;

  static SchemaOf<EvaluateSeq2SeqParams> schema();
};
StageType evaluate_seq2seq_stage();
void run_evaluate_seq2seq(StageContext& context);

}  // namespace headway
