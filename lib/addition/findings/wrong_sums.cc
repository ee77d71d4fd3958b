#include "lib/addition/findings/wrong_sums.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

// "374+814=1188, predicted 0188"
struct CarryFailure {
  std::string line;
  std::string target;
  std::string said;
};

std::vector<CarryFailure> read_wrong_sums(const Sources& sources) {
  std::vector<CarryFailure> failures;
  for (const std::string& line : split(sources.file("failures").bytes, '\n')) {
    if (trim(line).empty()) continue;
    const std::size_t equals = line.find('='), comma = line.find(", predicted ");
    CarryFailure failure{line, "", ""};
    if (equals != std::string::npos && comma != std::string::npos && equals < comma) {
      failure.target = line.substr(equals + 1, comma - equals - 1);
      failure.said = std::string(trim(std::string_view(line).substr(comma + 12)));
    }
    failures.push_back(std::move(failure));
  }
  return failures;
}

bool is_digits(const std::string& text) {
  return !text.empty() && text.size() <= 15 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

// What the answer is too much, if it is a power of ten: what one carry too many, or too few, does.
std::optional<bool> carry_too_many(const CarryFailure& failure) {
  if (!is_digits(failure.target) || !is_digits(failure.said)) return std::nullopt;
  const long long apart = std::stoll(failure.said) - std::stoll(failure.target);
  for (long long power = 1; power <= std::llabs(apart); power *= 10)
    if (power == std::llabs(apart) && power >= 10) return apart > 0;
  return std::nullopt;
}

std::size_t wrong_digits(const CarryFailure& failure) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < failure.target.size(); ++i)
    wrong += i >= failure.said.size() || failure.said[i] != failure.target[i];
  return wrong;
}

}  // namespace

std::string tell_wrong_sums(const Sources& sources) {
  const std::vector<CarryFailure> failures = read_wrong_sums(sources);
  if (failures.empty()) return "";
  std::size_t dropped = 0, invented = 0, single = 0, leading = 0;
  for (const CarryFailure& failure : failures) {
    const std::optional<bool> carry = carry_too_many(failure);
    dropped += carry && !*carry;
    invented += carry && *carry;
    single += wrong_digits(failure) == 1;
    leading += !failure.target.empty() &&
               (failure.said.empty() || failure.said.front() != failure.target.front());
  }
  const std::size_t all = failures.size();
  std::vector<std::string> shown;
  for (const CarryFailure& failure : failures) {
    if (shown.size() == 5) break;
    shown.push_back(markdown_code(failure.line));
  }
  return fmt::format(
      "{} {} wrong{}: {}. In one digit only: {}; in the leading digit: {}. Too small by 10, 100 "
      "or another such power, as if a carry were lost: {}; too large by such a power, as if a "
      "carry were added: {}.",
      counted(all, "answer"), all == 1 ? "is" : "are",
      all > shown.size() ? fmt::format(", of which the first {}", shown.size()) : "",
      enumerated(shown), count_text(single), count_text(leading), count_text(dropped),
      count_text(invented));
}

}  // namespace headway
