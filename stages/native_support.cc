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
    throw Error("input 'model': array '{}' holds infinities or NaNs", name);
  }
}

// Models of data with the same number of other words would answer nonsense without any other sign.
void check_texts(const std::vector<std::string>& of_model, const std::vector<std::string>& of_data,
                 const char* what) {
  if (of_model == of_data) return;
  for (const std::string& text : of_data) {
    if (std::ranges::find(of_model, text) == of_model.end())
      throw Error("input 'model': it does not know '{}', one of the data's {}", printable(text),
                  what);
  }
  for (const std::string& text : of_model) {
    if (std::ranges::find(of_data, text) == of_data.end())
      throw Error("input 'model': the data does not have '{}', one of the model's {}",
                  printable(text), what);
  }
  const auto [model, data] = std::ranges::mismatch(of_model, of_data);
  throw Error(
      "input 'model': its {} are not those of the data: number {} is '{}', but in the data "
      "'{}'",
      what, model - of_model.begin(), printable(*model), printable(*data));
}

std::vector<std::string> token_texts(const TransformerConfig& config, const Dataset& data) {
  const Vocabulary& vocabulary = data.legend->vocabulary;
  return config.has_decoder() ? vocabulary.texts() : vocabulary.words();
}

}  // namespace

Checkpoint checkpoint_for(const TransformerConfig& config, const Dataset& data,
                          const Parameters& parameters) {
  return {config, token_texts(config, data), data.legend->classes, parameters};
}

Checkpoint read_checkpoint(const StageContext& context) {
  const TensorFile file = read_tensors(context, "model");
  Checkpoint checkpoint = checkpoint_from(file, "input 'model'");
  check_finite(file);
  return checkpoint;
}

Checkpoint read_checkpoint(const StageContext& context, const Dataset& data) {
  Checkpoint checkpoint = read_checkpoint(context);
  try {
    check_fits(checkpoint.config, data.split("train"));
  } catch (const Error& error) {
    throw error.within("input 'model'");
  }
  check_texts(checkpoint.tokens, token_texts(checkpoint.config, data), "tokens");
  check_texts(checkpoint.classes, data.legend->classes, "classes");
  return checkpoint;
}

Split first_of(const Split& split, std::int64_t count) {
  Split part;
  for (std::int64_t i = 0; i < std::min(count, split.size()); ++i) part.append(split, i);
  return part;
}

void write_model(const StageContext& context, const Checkpoint& checkpoint) {
  const TensorFile file = to_tensor_file(checkpoint);
  const Json config = {{"format", file.metadata.at("format")},
                       {"model", Json::parse(file.metadata.at("model"))},
                       {"parameters", checkpoint.parameters.count()},
                       {"tokens", checkpoint.tokens},
                       {"classes", checkpoint.classes},
                       {"uses", context.type()},
                       {"with", context.params()}};
  write_output(context, "model", to_safetensors(file));
  write_output(context, "config", config.dump(1) + "\n");
}

void warn_if_seldom_right(double share, double largest_drop) {
  if (100 * share > largest_drop) return;
  std::printf(
      "warning: the accuracy of the whole model is only %.1f %%, so drops in points say little "
      "about "
      "its parts; the loss says more\n",
      100 * share);
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

}  // namespace headway
