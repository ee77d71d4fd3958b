// Metrics are the JSON output `metrics` of a stage.
#pragma once

#include "lib/base/json.h"
#include "lib/store/store.h"

namespace headway {

// Null if the stage has no metrics or they cannot be read.
inline Json read_metrics(Store& store, const Record& record) {
  const RecordedOutput* output = record.find("metrics");
  if (!output) return nullptr;
  return parse_json(store.files().read(store.path_of(output->object)).value_or(""))
      .value_or(nullptr);
}

}  // namespace headway
