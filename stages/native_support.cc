#include "stages/native_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace headway {
namespace {

// Such values make every answer wrong without any other sign.
void check_finite(const TensorFile& file) {
  for (const auto& [name, array] : file.arrays) {
    if (std::ranges::all_of(array.floats(), [](float value) { return std::isfinite(value); }))
      continue;
    throw Error("input 'model': array '{}' holds infinite values or such that are no numbers",
                name);
  }
}

void write_training(const StageContext& context, const TrainingResult& result) {
  write_table(context, "log", result.log);
  write_table(context, "timing", result.timing);
  Json metrics = {{"best_epoch", result.best_epoch}, {"epochs", result.epochs}};
  metrics["parameters"] = result.best.count();
  for (const auto& [name, value] : result.best_validation.metrics) metrics[name] = value;
  write_metrics(context, metrics);
}

}  // namespace

Seq2SeqData read_data(const StageContext& context, const Vocabulary* expected) {
  return seq2seq_data_from(read_tensors(context, "data"), "input 'data'", expected);
}

Checkpoint read_checkpoint(const StageContext& context, const Seq2SeqData& data) {
  const TensorFile file = read_tensors(context, "model");
  Checkpoint checkpoint = checkpoint_from(file, "input 'model'");
  const std::int64_t tokens = data.train.vocabulary.size();
  if (checkpoint.config.vocabulary != tokens)
    throw Error("input 'model': a model of {} tokens, but the data has {}",
                checkpoint.config.vocabulary, tokens);
  check_finite(file);
  return checkpoint;
}

void write_model(const StageContext& context, const TensorFile& checkpoint,
                 const std::vector<std::string>& tokens) {
  std::int64_t parameters = 0;
  for (const auto& [name, array] : checkpoint.arrays) parameters += array.count();
  const Json config = {{"format", checkpoint.metadata.at("format")},
                       {"model", Json::parse(checkpoint.metadata.at("model"))},
                       {"parameters", parameters},
                       {"tokens", tokens},
                       {"uses", context.type()},
                       {"with", context.params()}};
  write_output(context, "model", to_safetensors(checkpoint));
  write_output(context, "config", config.dump(1) + "\n");
}

ClassifierCheckpoint read_classifier(const StageContext& context) {
  const TensorFile file = read_tensors(context, "model");
  ClassifierCheckpoint checkpoint = classifier_checkpoint_from(file, "input 'model'");
  check_finite(file);
  return checkpoint;
}

EachBatch batch_progress(StageContext& context, std::int64_t total) {
  return [&context, total](std::int64_t done) {
    context.throw_if_cancelled();
    context.progress(static_cast<double>(done) / static_cast<double>(total),
                     fmt::format("{} of {} problems", done, total));
  };
}

TrainingWatch training_watch(StageContext& context, const std::string& state_file,
                             const std::string& name, double begins) {
  const std::string introduction = name.empty() ? "" : name + ": ";
  TrainingWatch watch;
  watch.cancelled = [&context] { return context.cancelled(); };
  watch.progress = [&context, introduction, begins](double share, const std::string& words) {
    context.progress(begins + share * (1 - begins), introduction + words);
  };
  watch.log = [introduction](const std::string& line) {
    std::printf("%s%s\n", introduction.c_str(), line.c_str());
    std::fflush(stdout);  // for people who follow the log, and in case the worker is killed
  };
  watch.state_file = context.partial() / state_file;
  return watch;
}

TrainingResult run_training(StageContext& context, TrainingTask& task,
                            std::vector<ParameterShape> shapes, const TrainingOptions& params,
                            const TransformerShape& model) {
  TrainingOptions options = params;
  options.dropout = {model.dropout, model.attention_dropout};
  Parameters parameters(std::move(shapes));
  parameters.draw(options.seed);
  ThreadTeam team(static_cast<std::size_t>(std::min<std::int64_t>(context.cpus(), params.shards)));
  TrainingWatch watch = training_watch(context, "state.safetensors");
  watch.event_file = context.output("events");
  watch.log("TensorBoard events while it trains: " + watch.event_file.string());
  TrainingResult result = train(task, parameters, options, team, watch);
  write_training(context, result);
  return result;
}

}  // namespace headway
