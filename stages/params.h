// Helpers for declaring stage types.
#pragma once

#include "lib/stage/native_stage.h"

namespace headway {

// The schema from Params::schema(), built once.
template <class Params>
const std::shared_ptr<const SchemaOf<Params>>& schema_of() {
  static const auto kSchema = std::make_shared<const SchemaOf<Params>>(Params::schema());
  return kSchema;
}

template <class Params>
Params read_params(const StageContext& context) {
  return schema_of<Params>()->read(context.params());
}

template <class Params>
Params read_params(const StageDeclaration& stage) {
  return schema_of<Params>()->read(to_json(stage.params));
}

// For types whose results contain the names of single inputs ("small" for train@small).
inline bool uses_every_item_name(const Value&, const std::string&) {
  return true;
}

inline const std::vector<std::string> kSplitChoices = {"train", "val", "test"};

// Inputs of stages that analyse a trained sequence-to-sequence model.
inline const Port kSeq2SeqModelPort = {"model", "checkpoint of train-seq2seq or prune-heads"};
inline const Port kSeq2SeqDataPort = {"data", "dataset of generate-addition or import-dataset"};

}  // namespace headway
