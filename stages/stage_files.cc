#include "stages/stage_files.h"

#include <fmt/format.h>

namespace headway {

Seq2SeqData read_data(const StageContext& context) {
  RealFileSystem files;
  const Path& path = context.input("data");
  return seq2seq_data_from(read_safetensors(files, path), path.string());
}

Checkpoint read_checkpoint(const StageContext& context) {
  RealFileSystem files;
  const Path& path = context.input("model");
  Checkpoint checkpoint = checkpoint_from(read_safetensors(files, path), path.string());
  if (checkpoint.config.vocabulary != kVocabularySize) {
    throw Error(fmt::format("{}: a model of {} tokens, but the data has {}", path.string(),
                            checkpoint.config.vocabulary, kVocabularySize));
  }
  return checkpoint;
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

}  // namespace headway
