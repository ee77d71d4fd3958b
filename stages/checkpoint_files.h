// Datasets and trained models as stages read and write them.
#pragma once

#include "lib/data/seq2seq_data.h"
#include "lib/nn/checkpoint.h"
#include "lib/stage/native_stage.h"

namespace headway {

// Input `data`. An Error if its tokens are not the expected ones.
Seq2SeqData read_data(const StageContext& context, const Vocabulary* expected = nullptr);
// Input `model`. An Error if it was not made for the data's tokens.
Checkpoint read_checkpoint(const StageContext& context, const Seq2SeqData& data);
ClassifierCheckpoint read_classifier(const StageContext& context);  // input `model`

void write_checkpoint(const StageContext& context, const Checkpoint& checkpoint);  // output `model`
void write_checkpoint(const StageContext& context, const ClassifierCheckpoint& checkpoint);

}  // namespace headway
