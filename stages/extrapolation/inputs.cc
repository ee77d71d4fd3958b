#include "stages/extrapolation/inputs.h"

#include <fmt/format.h>

#include "lib/base/error.h"
#include "stages/artifacts.h"

namespace headway {

SortingData read_sorting_data(const StageContext& context) {
  return sorting_data_from(read_tensors(context, "data"), "input 'data'");
}

void choose_beyond(const std::string& beyond, ClassifierConfig& config) {
  if (beyond == "model") return;
  if (config.encoding != Encoding::kLearned) {
    throw Error(fmt::format("'beyond: {}' is about learned positions, and the model's are '{}'",
                            beyond, name_in(kEncodingNames, config.encoding)));
  }
  config.beyond = value_of<Beyond>(kBeyondNames, beyond);
}

}  // namespace headway
