// `evaluate-seq2seq`: how often a model is right, and where it is not.
#pragma once

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct EvaluateSeq2SeqParams {
  std::string split = "test";
  bool exhaustive = false;
};

const SchemaOf<EvaluateSeq2SeqParams>& evaluate_seq2seq_schema();
StageType evaluate_seq2seq_stage();

void run_evaluate_seq2seq(StageContext& context);

}  // namespace headway
