#include "lib/addition/carry_pairs.h"

#include <algorithm>
#include <bit>

#include "lib/addition/addition_legend.h"

namespace headway {
namespace {

struct Candidate {
  AdditionProblem others;  // the problem with zeros in the column
  bool carries = false;    // the column does
  std::int32_t sample = 0;

  auto operator<=>(const Candidate&) const = default;
};

std::int64_t without_digit(std::int64_t number, std::int64_t unit) {
  return number - number / unit % 10 * unit;
}

// Candidates with the same other columns: those that do not carry, then those that do.
void pair_up(std::span<const Candidate> alike, std::span<const AdditionProblem> problems,
             std::vector<SamplePair>& pairs) {
  const auto first_with = std::ranges::find(alike, true, &Candidate::carries);
  for (auto without = alike.begin(), with = first_with;
       without != first_with && with != alike.end(); ++without, ++with) {
    const auto columns = [&](const Candidate& one) {
      return carry_pattern(problems[static_cast<std::size_t>(one.sample)]).columns;
    };
    // Unless the carry goes on to the next columns. This depends on the other columns, and is the
    // same for all of these candidates.
    if (std::popcount(columns(*without) ^ columns(*with)) > 1) return;
    pairs.push_back({without->sample, with->sample});
  }
}

}  // namespace

std::map<std::string, std::vector<SamplePair>, std::less<>> carry_pairs(
    std::span<const AdditionProblem> problems, int digits) {
  std::map<std::string, std::vector<SamplePair>, std::less<>> all;
  std::vector<Candidate> candidates(problems.size());
  std::int64_t unit = 1;
  for (int column = 0; column < digits; ++column, unit *= 10) {
    std::vector<SamplePair> pairs;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const AdditionProblem& problem = problems[i];
      candidates[i] = {{without_digit(problem.a, unit), without_digit(problem.b, unit)},
                       carry_pattern(problem).into(column + 1),
                       static_cast<std::int32_t>(i)};
    }
    std::ranges::sort(candidates);
    for (auto begin = candidates.begin(); begin != candidates.end();) {
      const auto end = std::find_if(begin, candidates.end(), [&](const Candidate& one) {
        return one.others != begin->others;
      });
      pair_up({begin, end}, problems, pairs);
      begin = end;
    }
    if (!pairs.empty()) all[carry_group(column + 1, digits)] = std::move(pairs);
  }
  return all;
}

}  // namespace headway
