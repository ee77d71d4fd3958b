#include "lib/addition/addition_source.h"

#include "lib/addition/addition.h"
#include "lib/addition/addition_legend.h"
#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {
namespace {

// Whether the split's first sample is as generate_addition writes it.
bool is_generated(const Split& split, int digits) {
  if (split.size() == 0) return false;
  const std::optional<AdditionProblem> problem = parse_problem(split.input(0), digits);
  if (!problem) return false;
  Split given, generated;
  given.append(split, 0);
  append_problem(*problem, digits, generated);
  return given == generated;
}

int digits_of(const Dataset& dataset) {
  const auto found = dataset.generator.find("digits");
  const auto digits = found == dataset.generator.end() ? std::nullopt : whole_number<int>(*found);
  if (!digits || *digits < 1 || *digits > kMostDigits)
    throw Error("the generator 'addition' should have 'digits' (1..{}), but is {}", kMostDigits,
                excerpt(dataset.generator, 60));
  for (const auto& [name, split] : dataset.splits) {
    if (!is_generated(split, *digits))
      throw Error("split '{}' is not what the data's generator 'addition' makes with {} digits",
                  printable(name), *digits);
  }
  return *digits;
}

Split problems_from(std::int64_t first, std::int64_t count, int digits) {
  Split split;
  for (std::int64_t i = first; i < first + count; ++i)
    append_problem(problem_at(digits, i), digits, split);
  return split;
}

}  // namespace

SampleSource addition_source(const Dataset& dataset) {
  const int digits = digits_of(dataset);
  SampleSource source;
  if (digits <= kMostCountedDigits) {
    source.count = problem_count(digits);
    source.range = [digits](std::int64_t first, std::int64_t count) {
      return problems_from(first, count, digits);
    };
  }
  source.complete =
      [digits, example = sample_text(dataset.split("train"), 0)](std::span<const Token> input) {
        const std::optional<AdditionProblem> problem = parse_problem(input, digits);
        if (!problem)
          throw Error("problem '{}' does not fit the data, whose problems are like {}",
                      addition_legend(digits)->vocabulary.spell(input), example);
        Split split;
        append_problem(*problem, digits, split);
        return split;
      };
  return source;
}

}  // namespace headway
