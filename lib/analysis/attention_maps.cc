#include "lib/analysis/attention_maps.h"

#include "lib/analysis/arrays.h"
#include "lib/base/json.h"

namespace headway {
namespace {

std::vector<std::int64_t> all_of(const Split& split) {
  std::vector<std::int64_t> samples;
  for (std::int64_t sample = 0; sample < split.size(); ++sample) samples.push_back(sample);
  return samples;
}

// The likeliest next token after each one that is fed, -1 where none is asked for: [B, T].
at::Tensor next_tokens(const Batch& batch, const at::Tensor& logits, Token pad) {
  at::Tensor next = most_likely(logits).view(batch.targets.sizes());
  return next.masked_fill_(batch.targets.eq(pad), -1);
}

// The samples' labels, and what the model says.
void add_labels(const Split& split, const Scores& scores, TensorFile& file) {
  Json wanted = Json::array(), answers = Json::array();
  const std::vector<std::string>& classes = split.legend->classes;
  for (std::size_t sample = 0; sample < scores.exact.size(); ++sample) {
    wanted.push_back(classes[static_cast<std::size_t>(split.labels[sample])]);
    answers.push_back(classes[static_cast<std::size_t>(scores.answers[sample])]);
  }
  file.metadata["wanted"] = wanted.dump();
  file.metadata["answers"] = answers.dump();
  file.metadata["confidences"] = Json(scores.confidence).dump();
}

// The targets, and the model's own output.
void add_answers(const Transformer& model, const Split& split, TensorFile& file) {
  const std::vector<Token> own = decode_answers(model, split, all_of(split));
  const std::vector<std::int64_t> shape = {split.size(), split.target_length};
  file.arrays["targets"] = Array::of(shape, std::span(split.targets));
  file.arrays["predictions"] = Array::of(shape, std::span(own));
  const Vocabulary& vocabulary = split.vocabulary();
  Json wanted = Json::array(), answers = Json::array();
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    const auto width = static_cast<std::size_t>(split.target_length);
    wanted.push_back(vocabulary.spell(split.target(sample)));
    answers.push_back(
        vocabulary.spell(std::span(own).subspan(static_cast<std::size_t>(sample) * width, width)));
  }
  file.metadata["wanted"] = wanted.dump();
  file.metadata["answers"] = answers.dump();
}

}  // namespace

TensorFile attention_maps(const Transformer& model, const Split& split) {
  const c10::AutoGradMode without_gradients(false);
  const TransformerConfig& config = model.config();
  const std::vector<std::int64_t> samples = all_of(split);
  const Batch batch = make_batch(config, split, samples);
  TensorFile file;
  Json heads = Json::object();
  const Hooks hooks({HookPoint::kWeights}, [&](const Site& site, HookPoint, at::Tensor& weights) {
    if (weights.size(1) == 0) return;  // all heads are pruned
    file.arrays[site.name()] = array_of<float>(weights);
    heads[site.name()] = config.units_of(site.index);
  });
  DropoutStream none;
  const at::Tensor logits = model.forward(batch, none, hooks);
  require_numbers(logits);
  if (config.has_encoder()) file.arrays["inputs"] = array_of<Token>(batch.inputs);
  if (config.has_decoder()) file.arrays["decoder_inputs"] = array_of<Token>(batch.fed);
  if (batch.lengths.defined()) file.arrays["input_lengths"] = array_of<std::int32_t>(batch.lengths);
  if (batch.fed_lengths.defined())
    file.arrays["decoder_lengths"] = array_of<std::int32_t>(batch.fed_lengths);
  if (config.kind == ModelKind::kEncoder) {
    Scores scores = empty_scores(split);
    score_logits(config, split, samples, batch, logits, scores);
    add_labels(split, scores, file);
  } else if (split.target_length > 0) {
    add_answers(model, split, file);
  }
  if (config.kind == ModelKind::kDecoder) {
    const Token pad = split.vocabulary().pad();
    file.arrays["next"] = array_of<Token>(next_tokens(batch, logits, pad));
    file.arrays["next_wanted"] =
        array_of<Token>(batch.targets.masked_fill(batch.targets.eq(pad), -1));
  }
  Json problems = Json::array();
  for (const std::int64_t sample : samples) problems.push_back(sample_text(split, sample));
  file.metadata["problems"] = problems.dump();
  file.metadata["tokens"] = Json(split.vocabulary().texts()).dump();
  file.metadata["heads"] = heads.dump();
  return file;
}

}  // namespace headway
