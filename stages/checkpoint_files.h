// Datasets and trained models as stages read and write them.
#pragma once

#include "lib/data/seq2seq_data.h"
#include "lib/nn/checkpoint.h"
#include "lib/stage/native_stage.h"

namespace headway {

Seq2SeqData read_data(const StageContext& context);                 // input `data`
Checkpoint read_checkpoint(const StageContext& context);            // input `model`
ClassifierCheckpoint read_classifier(const StageContext& context);  // input `model`

void write_checkpoint(const StageContext& context, const Checkpoint& checkpoint);  // output `model`
void write_checkpoint(const StageContext& context, const ClassifierCheckpoint& checkpoint);

}  // namespace headway
