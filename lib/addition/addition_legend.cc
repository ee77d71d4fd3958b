#include "lib/addition/addition_legend.h"

#include <fmt/format.h>

#include <array>
#include <cassert>

namespace headway {
namespace {

// Values of carry_into_1 ….
constexpr std::int32_t kNoCarry = 0, kCarry = 1;

std::vector<std::string> numbers_up_to(int last) {
  std::vector<std::string> numbers;
  for (int number = 0; number <= last; ++number) numbers.push_back(std::to_string(number));
  return numbers;
}

// Sorted by name; append_groups has the same order.
std::vector<SampleGroup> addition_groups(int digits) {
  std::vector<SampleGroup> groups = {{"carries", numbers_up_to(digits)}};
  for (int column = 1; column < digits; ++column)
    groups.push_back({carry_group(column, digits), {"no", "yes"}});
  groups.push_back({carry_group(digits, digits), {"0", "1"}});
  groups.push_back({"longest_chain", numbers_up_to(digits)});
  return groups;
}

// Roles by number: in the order of the positions, inputs before targets.
struct RoleNumbers {
  int digits = 0;

  std::int32_t a(int column) const { return digits - 1 - column; }
  std::int32_t plus() const { return digits; }
  std::int32_t b(int column) const { return 2 * digits - column; }
  std::int32_t sum(int column) const { return 3 * digits + 1 - column; }
};

std::vector<std::string> addition_roles(int digits) {
  std::vector<std::string> roles;
  const auto add = [&](char number, int first_column) {
    for (int column = first_column; column >= 0; --column)
      roles.push_back(fmt::format("{}{}", number, column));
  };
  add('a', digits - 1);
  roles.emplace_back("+");
  add('b', digits - 1);
  add('s', digits);
  return roles;
}

std::vector<Relation> addition_relations(int digits) {
  const RoleNumbers roles{digits};
  Relation carry{"carry", {}}, carry_with{"carry_with", {}}, carry_without{"carry_without", {}};
  Relation column{"column", {}}, leading{"leading", {}};
  for (int c = 0; c < digits; ++c) {
    column.pairs.push_back({roles.a(c), roles.b(c)});
    column.pairs.push_back({roles.b(c), roles.a(c)});
    for (const std::int32_t key : {roles.a(c), roles.b(c)}) {
      column.pairs.push_back({roles.sum(c), key});
      if (c == digits - 1) {
        leading.pairs.push_back({roles.sum(digits), key});
        continue;
      }
      for (const std::int32_t query : {roles.a(c + 1), roles.b(c + 1), roles.sum(c + 1)}) {
        const std::int32_t group = 1 + c;  // carry_into_1 is the second
        carry.pairs.push_back({query, key});
        carry_with.pairs.push_back({query, key, RolePair::Condition{group, kCarry}});
        carry_without.pairs.push_back({query, key, RolePair::Condition{group, kNoCarry}});
      }
    }
  }
  return {carry,  carry_with, carry_without,
          column, leading,    {"operator", {{kAnyRole, roles.plus()}}}};
}

std::shared_ptr<const Legend> make_legend(int digits) {
  const Vocabulary vocabulary({"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "+"});
  return std::make_shared<Legend>(Legend{
      vocabulary, {}, addition_groups(digits), addition_roles(digits), addition_relations(digits)});
}

}  // namespace

const std::shared_ptr<const Legend>& addition_legend(int digits) {
  assert(digits >= 1 && digits <= kMostDigits);
  static const auto kLegends = [] {
    std::array<std::shared_ptr<const Legend>, kMostDigits + 1> legends;
    for (int d = 1; d <= kMostDigits; ++d) legends[static_cast<std::size_t>(d)] = make_legend(d);
    return legends;
  }();
  return kLegends[static_cast<std::size_t>(digits)];
}

std::string carry_group(int column, int digits) {
  return column < digits ? fmt::format("carry_into_{}", column) : "leading_digit";
}

void append_groups(const AdditionProblem& problem, int digits,
                   std::span<std::vector<std::int32_t>> groups) {
  const CarryPattern pattern = carry_pattern(problem);
  auto group = groups.begin();
  (group++)->push_back(pattern.carries);
  for (int column = 1; column < digits; ++column)
    (group++)->push_back(pattern.into(column) ? kCarry : kNoCarry);
  (group++)->push_back(pattern.into(digits));  // the leading digit is the last carry
  (group++)->push_back(pattern.longest_chain);
  assert(group == groups.end());
}

}  // namespace headway
