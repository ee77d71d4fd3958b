#include "stages/stage_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headway {
namespace {

// Messages name the input, not the object in the store that it is: of the two, people know the one.
TensorFile read_input(const StageContext& context, std::string_view input) {
  RealFileSystem files;
  const Path& path = context.input(input);
  const std::optional<std::string> bytes = files.read(path);
  if (!bytes) throw Error(fmt::format("input '{}': no such file: {}", input, path.string()));
  return parse_safetensors(*bytes, fmt::format("input '{}'", input));
}

// Every answer of such a model would be wrong, and nothing but that would tell.
void check_finite(const TensorFile& file) {
  for (const auto& [name, array] : file.arrays) {
    const std::vector<float> values = array.floats();
    if (std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) continue;
    throw Error(
        fmt::format("input 'model': array '{}' holds infinite values or such that are no "
                    "numbers",
                    name));
  }
}

}  // namespace

Seq2SeqData read_data(const StageContext& context) {
  return seq2seq_data_from(read_input(context, "data"), "input 'data'");
}

Checkpoint read_checkpoint(const StageContext& context) {
  const TensorFile file = read_input(context, "model");
  Checkpoint checkpoint = checkpoint_from(file, "input 'model'");
  if (checkpoint.config.vocabulary != kVocabularySize) {
    throw Error(fmt::format("input 'model': a model of {} tokens, but the data has {}",
                            checkpoint.config.vocabulary, kVocabularySize));
  }
  check_finite(file);
  return checkpoint;
}

SortingData read_sorting_data(const StageContext& context) {
  return sorting_data_from(read_input(context, "data"), "input 'data'");
}

ClassifierCheckpoint read_classifier(const StageContext& context) {
  const TensorFile file = read_input(context, "model");
  ClassifierCheckpoint checkpoint = classifier_checkpoint_from(file, "input 'model'");
  check_finite(file);
  return checkpoint;
}

void choose_beyond(const std::string& beyond, ClassifierConfig& config) {
  if (beyond == "model") return;
  if (config.encoding != Encoding::kLearned) {
    throw Error(fmt::format("'beyond: {}' is about learned positions, and the model's are '{}'",
                            beyond, name_in(kEncodingNames, config.encoding)));
  }
  config.beyond = value_of<Beyond>(kBeyondNames, beyond);
}

void write_output(const StageContext& context, std::string_view output, std::string_view bytes) {
  RealFileSystem().write(context.output(output), bytes, Durability::kCached);
}

void write_table(const StageContext& context, std::string_view output, const Table& table) {
  write_output(context, output, table.to_csv());
}

void write_metrics(const StageContext& context, const Json& metrics) {
  write_output(context, "metrics", metrics.dump(1) + "\n");
}

void write_checkpoint(const StageContext& context, const Checkpoint& checkpoint) {
  write_output(context, "model", to_safetensors(to_tensor_file(checkpoint)));
}

void write_checkpoint(const StageContext& context, const ClassifierCheckpoint& checkpoint) {
  write_output(context, "model", to_safetensors(to_tensor_file(checkpoint)));
}

}  // namespace headway
