#include "tests/train/tiny_data.h"

#include <algorithm>
#include <numeric>

#include "lib/numerics/random.h"

namespace headway::testing {
namespace {

Tokens digits_of(std::uint64_t number) {
  Tokens digits;
  for (const char digit : std::to_string(number)) digits.push_back(digit - '0');
  return digits;
}

std::int64_t append_padded(const std::vector<Tokens>& rows, Token pad, Tokens& out) {
  std::size_t longest = 0;
  for (const Tokens& row : rows) longest = std::max(longest, row.size());
  for (const Tokens& row : rows) {
    out.insert(out.end(), row.begin(), row.end());
    out.resize(out.size() + longest - row.size(), pad);
  }
  return static_cast<std::int64_t>(longest);
}

Tokens random_tokens(std::int64_t from, std::int64_t to, RandomStream& random) {
  const std::uint64_t more = random.below(static_cast<std::uint64_t>(to - from + 1));
  Tokens tokens(static_cast<std::size_t>(from) + more);
  for (Token& token : tokens) token = static_cast<Token>(random.below(10));
  return tokens;
}

std::int32_t class_of_sequence(const Tokens& tokens) {
  if (std::ranges::is_sorted(tokens)) return 2;
  return std::is_sorted(tokens.rbegin(), tokens.rend()) ? 0 : 1;
}

}  // namespace

std::shared_ptr<const Legend> plain_legend(std::vector<std::string> classes) {
  std::vector<std::string> words = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  if (classes.empty()) words.emplace_back("+");
  auto legend = std::make_shared<Legend>();
  legend->vocabulary = Vocabulary(std::move(words));
  legend->classes = std::move(classes);
  return legend;
}

Split split_of(std::shared_ptr<const Legend> legend, const std::vector<Tokens>& inputs,
               const std::vector<Tokens>& targets) {
  Split split;
  split.legend = std::move(legend);
  split.input_length = append_padded(inputs, split.vocabulary().pad(), split.inputs);
  split.target_length = append_padded(targets, split.vocabulary().pad(), split.targets);
  return split;
}

Split additions(int digits, std::int64_t count, std::uint64_t seed) {
  Split split;
  RandomStream random(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto index = random.below(static_cast<std::uint64_t>(problem_count(digits)));
    append_problem(problem_at(digits, static_cast<std::int64_t>(index)), digits, split);
  }
  return split;
}

Split additions(int digits, const std::vector<AdditionProblem>& problems) {
  Split split;
  for (const AdditionProblem& problem : problems) append_problem(problem, digits, split);
  return split;
}

Split all_one_digit_additions() {
  Split split;
  for (std::int64_t i = 0; i < problem_count(1); ++i) append_problem(problem_at(1, i), 1, split);
  return split;
}

Split uneven_additions(std::int64_t count, std::uint64_t seed) {
  std::vector<Tokens> inputs, targets;
  RandomStream random(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t a = random.below(30), b = random.below(30);
    Tokens input = digits_of(a), target = digits_of(a + b);
    input.push_back(kPlus);
    for (const Token digit : digits_of(b)) input.push_back(digit);
    target.push_back(kEnd);
    inputs.push_back(std::move(input));
    targets.push_back(std::move(target));
  }
  return split_of(plain_legend(), inputs, targets);
}

Split labelled(const std::vector<Tokens>& inputs) {
  Split split = split_of(plain_legend({"falling", "mixed", "rising"}), inputs);
  for (const Tokens& input : inputs) split.labels.push_back(class_of_sequence(input));
  return split;
}

Split random_sequences(std::int64_t count, std::int64_t from, std::int64_t to, std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<Tokens> inputs;
  for (std::int64_t i = 0; i < count; ++i) {
    Tokens tokens = random_tokens(from, to, random);
    if (i % 3 != 1) std::ranges::sort(tokens);
    if (i % 3 == 0) std::ranges::reverse(tokens);
    inputs.push_back(std::move(tokens));
  }
  return labelled(inputs);
}

Split repetitions(std::int64_t count, Asked asked, std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<Tokens> inputs;
  for (std::int64_t i = 0; i < count; ++i) {
    Tokens tokens = random_tokens(1, 4, random);
    const Tokens once = tokens;
    tokens.insert(tokens.end(), once.begin(), once.end());
    inputs.push_back(std::move(tokens));
  }
  Split split = split_of(plain_legend(), inputs);
  if (asked == Asked::kAll) return split;
  split.input_asked.assign(split.inputs.size(), 0);
  for (std::int64_t sample = 0; sample < count; ++sample) {
    const std::int64_t size = split.input_size(sample);
    const auto row = split.input_asked.begin() + sample * split.input_length;
    std::fill(row + size / 2, row + size, 1);
  }
  return split;
}

Split uneven_data(ModelKind kind, std::int64_t count, std::uint64_t seed) {
  return kind == ModelKind::kEncoder ? random_sequences(count, 2, 6, seed)
                                     : uneven_additions(count, seed);
}

Split with_positions(Split split) {
  split.input_positions.assign(split.inputs.size(), 0);
  split.target_positions.assign(split.targets.size(), 0);
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    const auto input = split.input_positions.begin() + sample * split.input_length;
    for (std::int64_t at = 0; at < split.input_size(sample); ++at)
      input[at] = static_cast<std::int32_t>(at % 3 + sample % 2);
    if (split.target_length == 0) continue;
    const auto target = split.target_positions.begin() + sample * split.target_length;
    for (std::int64_t at = 0; at < split.target_size(sample); ++at)
      target[at] = static_cast<std::int32_t>(at + 1);
  }
  return split;
}

Dataset dataset_of(const Split& train, const Split& val) {
  return {train.legend, {{"train", train}, {"val", val}, {"test", val}}, nullptr};
}

std::vector<std::int64_t> all_of(const Split& split) {
  std::vector<std::int64_t> samples(static_cast<std::size_t>(split.size()));
  std::iota(samples.begin(), samples.end(), 0);
  return samples;
}

}  // namespace headway::testing
