// Functions of template expressions. To add one, add an entry to the list at the end of
// table_functions.cc, text_functions.cc or statistics_functions.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/report/evaluator.h"

namespace headway {

// A call and its arguments, which are evaluated on demand. Each accessor throws Error if the
// argument is of another kind.
class FunctionCall {
 public:
  FunctionCall(Evaluator& evaluator, const Expression& call) : evaluator_(evaluator), call_(call) {}

  std::size_t size() const { return call_.operands.size(); }
  const Expression& argument(std::size_t i) const { return call_.operands[i]; }
  Evaluator& evaluator() { return evaluator_; }

  TemplateValue value(std::size_t i) { return evaluator_.value(argument(i)); }
  double number(std::size_t i);      // NaN for no value
  std::size_t count(std::size_t i);  // a non-negative integer
  std::string text(std::size_t i) { return text_of(value(i)); }
  RowsValue table(std::size_t i);  // a list has the column `it`
  // Names from arguments i to `end`: texts or lists of texts.
  std::vector<std::string> names(std::size_t i, std::size_t end);
  // Metrics become a table; other values stay.
  TemplateValue collection(std::size_t i) { return as_collection(value(i)); }

  // The argument evaluated for each row, in order, including rows without a value.
  std::vector<TemplateValue> for_each_row(const TableRows& table, std::size_t argument);
  // The same as numbers; NaN for no value.
  std::vector<double> numbers(const TableRows& table, std::size_t argument);

  [[noreturn]] void refuse(std::size_t argument, std::string_view expected,
                           const TemplateValue& got) const;

 private:
  Evaluator& evaluator_;
  const Expression& call_;
};

struct TemplateFunction {
  std::string usage;                       // "where(table, condition)"
  std::size_t least, most;                 // number of arguments
  std::vector<std::size_t> row_arguments;  // evaluated for each row, with columns as names
  TemplateValue (*run)(FunctionCall&);

  std::string_view name() const { return std::string_view(usage).substr(0, usage.find('(')); }
};

inline constexpr std::size_t kAnyNumber = 20;  // of arguments

const std::vector<TemplateFunction>& template_functions();
std::vector<TemplateFunction> table_functions();
std::vector<TemplateFunction> text_functions();
std::vector<TemplateFunction> statistics_functions();

// Throws Error if there is no such function or the number of arguments is wrong.
const TemplateFunction& function_of(const Expression& call);

}  // namespace headway
