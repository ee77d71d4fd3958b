#include "tests/nn/tiny_models.h"

#include "lib/train/seq2seq_task.h"
#include "tests/nn/support.h"

namespace headway::testing {
namespace {

std::vector<Token> digits_of(std::uint64_t number) {
  std::vector<Token> digits;
  for (const char digit : std::to_string(number)) digits.push_back(digit - '0');
  return digits;
}

void append_padded(const std::vector<Token>& tokens, std::int64_t length, std::vector<Token>& out) {
  out.insert(out.end(), tokens.begin(), tokens.end());
  out.resize(out.size() + static_cast<std::size_t>(length) - tokens.size(), kPad);
}

}  // namespace

Seq2SeqConfig tiny_config(std::int64_t layers) {
  Seq2SeqConfig config;
  config.d_model = 8;
  config.n_heads = 2;
  config.n_layers = layers;
  config.d_ff = 12;
  config.dropout = 0;
  config.vocabulary = kVocabularySize;
  return config;
}

Checkpoint random_checkpoint(const Seq2SeqConfig& config, std::uint64_t seed) {
  Checkpoint checkpoint{config, Parameters(parameter_shapes(config))};
  checkpoint.parameters.flat().copy_(draw({checkpoint.parameters.flat().numel()}, seed));
  return checkpoint;
}

Seq2SeqSplit additions(int digits, std::int64_t count, std::uint64_t seed) {
  Seq2SeqSplit split;
  RandomStream random(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto index = random.below(static_cast<std::uint64_t>(problem_count(digits)));
    append_problem(problem_at(digits, static_cast<std::int64_t>(index)), digits, split);
  }
  return split;
}

Seq2SeqSplit additions(int digits, const std::vector<AdditionProblem>& problems) {
  Seq2SeqSplit split;
  for (const AdditionProblem& problem : problems) append_problem(problem, digits, split);
  return split;
}

Seq2SeqSplit uneven_additions(std::int64_t count, std::uint64_t seed) {
  Seq2SeqSplit split;
  split.vocabulary = addition_vocabulary();
  split.input_length = 5;
  split.target_length = 3;
  RandomStream random(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t a = random.below(30), b = random.below(30);
    std::vector<Token> input = digits_of(a), target = digits_of(a + b);
    input.push_back(kPlus);
    for (const Token digit : digits_of(b)) input.push_back(digit);
    target.push_back(kEos);
    append_padded(input, split.input_length, split.inputs);
    append_padded(target, split.target_length, split.targets);
  }
  return split;
}

TrainingOptions quick_options(std::int64_t epochs) {
  TrainingOptions options;
  options.epochs = epochs;
  options.batch = 16;
  options.shards = 1;
  options.lr = 0.01;
  options.dropout = {};
  return options;
}

Checkpoint half_trained(const Seq2SeqSplit& split, std::int64_t epochs) {
  Seq2SeqConfig config = tiny_config();
  config.d_model = 16;
  config.d_ff = 32;
  Parameters parameters(parameter_shapes(config));
  parameters.draw(1);
  const Seq2SeqData data{split, split, split};
  ThreadTeam team(1);
  Seq2SeqTask task(config, data);
  return {config, train(task, parameters, quick_options(epochs), team, {}).best};
}

const Checkpoint& half_trained_adder() {
  static const Checkpoint checkpoint = [] {
    Seq2SeqSplit all;
    for (std::int64_t i = 0; i < problem_count(1); ++i) append_problem(problem_at(1, i), 1, all);
    return half_trained(all, 20);
  }();
  return checkpoint;
}

std::vector<std::string> names_of(const Seq2SeqConfig& config, const std::vector<HeadId>& heads) {
  std::vector<std::string> names;
  for (const HeadId& head : heads) names.push_back(config.name(head));
  return names;
}

std::string bytes_of(const Parameters& parameters) {
  const at::Tensor& flat = parameters.flat();
  return {reinterpret_cast<const char*>(flat.data_ptr<float>()),
          static_cast<std::size_t>(flat.numel()) * sizeof(float)};
}

}  // namespace headway::testing
