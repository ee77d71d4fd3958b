#include "stages/checkpoint_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stages/artifacts.h"

namespace headway {
namespace {

// Every answer of a model with such values would be wrong, without any other sign of it.
void check_finite(const TensorFile& file) {
  for (const auto& [name, array] : file.arrays) {
    if (std::ranges::all_of(array.floats(), [](float value) { return std::isfinite(value); }))
      continue;
    throw Error(
        fmt::format("input 'model': array '{}' holds infinite values or such that are no "
                    "numbers",
                    name));
  }
}

}  // namespace

Seq2SeqData read_data(const StageContext& context, const Vocabulary* expected) {
  return seq2seq_data_from(read_tensors(context, "data"), "input 'data'", expected);
}

Checkpoint read_checkpoint(const StageContext& context, const Seq2SeqData& data) {
  const TensorFile file = read_tensors(context, "model");
  Checkpoint checkpoint = checkpoint_from(file, "input 'model'");
  const std::int64_t tokens = data.train.vocabulary.size();
  if (checkpoint.config.vocabulary != tokens) {
    throw Error(fmt::format("input 'model': a model of {} tokens, but the data has {}",
                            checkpoint.config.vocabulary, tokens));
  }
  check_finite(file);
  return checkpoint;
}

ClassifierCheckpoint read_classifier(const StageContext& context) {
  const TensorFile file = read_tensors(context, "model");
  ClassifierCheckpoint checkpoint = classifier_checkpoint_from(file, "input 'model'");
  check_finite(file);
  return checkpoint;
}

void write_checkpoint(const StageContext& context, const Checkpoint& checkpoint) {
  write_output(context, "model", to_safetensors(to_tensor_file(checkpoint)));
}

void write_checkpoint(const StageContext& context, const ClassifierCheckpoint& checkpoint) {
  write_output(context, "model", to_safetensors(to_tensor_file(checkpoint)));
}

}  // namespace headway
