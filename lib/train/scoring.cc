#include "lib/train/scoring.h"

#include <cmath>
#include <map>
#include <numeric>

#include "lib/base/error.h"
#include "lib/nn/decoding.h"
#include "lib/nn/kernels/layer_kernels.h"

namespace headway {
namespace {

constexpr std::int32_t kNoClass = -1;

[[noreturn]] void refuse_output() {
  throw Error(
      "the model's output is no number for some sample: its weights are too large, or it was "
      "damaged");
}

// The softmax of a row at its largest value.
float largest_share(std::span<const float> logits, std::int32_t largest) {
  const float most = logits[static_cast<std::size_t>(largest)];
  float sum = 0;
  for (const float value : logits) sum += std::exp(value - most);
  return 1 / sum;
}

// The first position of the answer that is asked for; the number of positions if none is.
std::int64_t first_asked(const Split& split, std::int64_t sample) {
  if (split.target_length > 0) return 0;
  std::int64_t at = 0;
  while (at < split.input_size(sample) && !split.asks(sample, at)) ++at;
  return at;
}

}  // namespace

void ScoreSums::add(const ScoreSums& other) {
  loss += other.loss;
  tokens += other.tokens;
  right_tokens += other.right_tokens;
}

std::int64_t Scores::exact_count() const {
  return std::accumulate(exact.begin(), exact.end(), std::int64_t{0});
}

Scores empty_scores(const Split& split) {
  Scores scores;
  scores.width = answer_length(split);
  const auto samples = static_cast<std::size_t>(split.size());
  const auto positions = samples * static_cast<std::size_t>(scores.width);
  scores.exact.assign(samples, 1);
  if (!split.has_answers()) scores.right_tokens.assign(samples, 0);
  scores.right.assign(positions, 1);
  scores.answers.assign(positions, split.vocabulary().pad());
  if (split.kind() == TargetKind::kLabel) scores.confidence.assign(samples, 0);
  return scores;
}

ScoreSums score_logits(const TransformerConfig& config, const Split& split,
                       std::span<const std::int64_t> samples, const Batch& batch,
                       const at::Tensor& logits, Scores& scores) {
  const bool labels = config.kind == ModelKind::kEncoder;
  const std::int32_t ignored = labels ? kNoClass : split.vocabulary().pad();
  const std::int64_t classes = logits.size(1), length = labels ? 1 : batch.targets.size(1);
  const auto* wanted = batch.targets.data_ptr<std::int32_t>();  // [B, T], or [B]
  const auto* values = logits.data_ptr<float>();                // [B * T, V], or [B, classes]
  const at::Tensor likely = most_likely(logits);
  const auto* given = likely.data_ptr<std::int32_t>();
  ScoreSums sums;
  sums.loss = cross_entropy({logits.size(0), classes, wanted, ignored}, values, 1, nullptr);
  for (std::size_t b = 0; b < samples.size(); ++b) {
    const std::int64_t begin = answer_begin(config, split, samples[b]);
    const auto sample = static_cast<std::size_t>(samples[b]);
    for (std::int64_t t = 0; t < length; ++t) {
      const std::int64_t row = static_cast<std::int64_t>(b) * length + t;
      if (wanted[row] == ignored) continue;
      const bool is_right = given[row] == wanted[row];
      ++sums.tokens;
      sums.right_tokens += is_right;
      if (!scores.right_tokens.empty()) scores.right_tokens[sample] += is_right;
      if (t < begin) continue;  // asked for inside the input
      const auto place =
          sample * static_cast<std::size_t>(scores.width) + static_cast<std::size_t>(t - begin);
      if (!scores.answers.empty()) scores.answers[place] = given[row];
      if (is_right) continue;
      if (!scores.right.empty()) scores.right[place] = 0;
      scores.exact[sample] = 0;
    }
    if (labels) {
      const auto row = std::span(values + b * static_cast<std::size_t>(classes),
                                 static_cast<std::size_t>(classes));
      scores.confidence[sample] = largest_share(row, given[b]);
    }
  }
  return sums;
}

Scores score(const Transformer& model, const Split& split, ThreadTeam& team, const Hooks& hooks,
             const EachBatch& each) {
  Scores scores = empty_scores(split);
  const auto score_batch = [&](std::span<const std::int64_t> samples) {
    const Batch batch = make_batch(model.config(), split, samples);
    DropoutStream none;
    const at::Tensor logits = model.forward(batch, none, hooks);
    return score_logits(model.config(), split, samples, batch, logits, scores);
  };
  add_batches<ScoreSums>(split, team, each, score_batch,
                         [&](const ScoreSums& sums) { scores.sums.add(sums); });
  return scores;
}

void require_numbers(const Scores& scores) {
  if (!std::isfinite(scores.sums.loss)) refuse_output();
}

void require_numbers(const at::Tensor& logits) {
  if (!logits.isfinite().all().item<bool>()) refuse_output();
}

bool is_decodable(const Split& split, std::int64_t sample) {
  if (split.kind() == TargetKind::kLabel) return false;
  if (split.target_length > 0) return true;
  const std::int64_t first = first_asked(split, sample), end = split.input_size(sample);
  for (std::int64_t at = first; at < end; ++at) {
    if (!split.asks(sample, at)) return false;
  }
  return first < end;
}

std::int64_t prompt_length(const TransformerConfig& config, const Split& split,
                           std::int64_t sample) {
  return answer_begin(config, split, sample) + first_asked(split, sample) + 1;
}

std::vector<Token> decode_answers(const Transformer& model, const Split& split,
                                  std::span<const std::int64_t> samples, const Hooks& hooks) {
  const TransformerConfig& config = model.config();
  const auto width = static_cast<std::size_t>(answer_length(split));
  const Vocabulary& vocabulary = split.vocabulary();
  std::vector<Token> answers(samples.size() * width, vocabulary.pad());
  std::map<std::int64_t, std::vector<std::size_t>> by_prompt;
  for (std::size_t i = 0; i < samples.size(); ++i)
    by_prompt[prompt_length(config, split, samples[i])].push_back(i);
  for (const auto& [length, members] : by_prompt) {
    std::vector<std::int64_t> group;
    for (const std::size_t i : members) group.push_back(samples[i]);
    const Batch batch = make_batch(config, split, group);
    const std::int64_t steps = batch.fed.size(1) - length + 1;
    Prompt prompt{batch, batch.fed_positions};
    prompt.batch.fed = batch.fed.narrow(1, 0, length).contiguous();
    const at::Tensor said = greedy_decode(model, prompt, steps, hooks);  // [group, steps]
    for (std::size_t g = 0; g < members.size(); ++g) {
      const auto* row = said.data_ptr<Token>() + static_cast<std::int64_t>(g) * steps;
      const std::int64_t skipped = first_asked(split, group[g]);
      const std::int64_t asked =
          split.target_length > 0 ? split.target_size(group[g]) : split.input_size(group[g]);
      const auto to = answers.begin() + static_cast<std::ptrdiff_t>(members[g] * width) + skipped;
      for (std::int64_t t = 0; t < asked - skipped && t < steps; ++t) {
        to[t] = row[t];
        if (row[t] == vocabulary.end()) break;
      }
    }
  }
  return answers;
}

}  // namespace headway
