// What native stages read and write, in one place: datasets, checkpoints, tables, metrics.
#pragma once

#include "lib/base/json.h"
#include "lib/data/seq2seq_data.h"
#include "lib/extrapolation/sorting.h"
#include "lib/nn/checkpoint.h"
#include "lib/numerics/table.h"
#include "lib/stage/native_stage.h"

namespace headway {

Seq2SeqData read_data(const StageContext& context);       // port `data`
Checkpoint read_checkpoint(const StageContext& context);  // port `model`; its tokens are the data's
SortingData read_sorting_data(const StageContext& context);         // port `data`
ClassifierCheckpoint read_classifier(const StageContext& context);  // port `model`

// Stages that look at a trained model may let its learned positions go on in another way: `beyond`
// is "model", which changes nothing, or one of kBeyondNames, for learned positions only.
void choose_beyond(const std::string& beyond, ClassifierConfig& config);

void write_output(const StageContext& context, std::string_view output, std::string_view bytes);
void write_table(const StageContext& context, std::string_view output, const Table& table);
void write_metrics(const StageContext& context, const Json& metrics);
void write_checkpoint(const StageContext& context, const Checkpoint& checkpoint);  // output `model`
void write_checkpoint(const StageContext& context, const ClassifierCheckpoint& checkpoint);

}  // namespace headway
