// Helpers for declaring stage types.
#pragma once

#include "lib/analysis/components.h"
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

// Inputs of stages that analyse a trained model.
inline const Port kModelPort = {
    "model", "checkpoint of train-seq2seq, train-classifier, train-decoder or prune-model"};
inline const Port kDataPort = {"data", "dataset"};

// Adds the list `components` of kinds that a stage switches off.
template <class Params>
void add_components_param(SchemaOf<Params>& schema, const std::string& help) {
  schema.add("components", &Params::components, help)
      .one_of({std::begin(kNamesOf<ComponentKind>), std::end(kNamesOf<ComponentKind>)});
}
// Refuses an empty list, and a kind that is named twice.
void check_components(const StageDeclaration& stage, Diagnostics& diagnostics);
std::vector<ComponentKind> kinds_of(const std::vector<std::string>& names);

}  // namespace headway
