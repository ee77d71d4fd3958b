// The functions of template expressions, by name. A new one is an entry of the list at the end of
// table_functions.cc, computed_columns.cc, text_functions.cc or statistics_functions.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/report/evaluator.h"

namespace headway {

// What a function is called with. Arguments are evaluated when they are asked for; each function
// below throws Error where the argument is of another kind.
class FunctionCall {
 public:
  FunctionCall(Evaluator& evaluator, const Expression& call) : evaluator_(evaluator), call_(call) {}

  std::size_t size() const { return call_.operands.size(); }
  const Expression& argument(std::size_t i) const { return call_.operands[i]; }
  Evaluator& evaluator() { return evaluator_; }

  TemplateValue value(std::size_t i) { return evaluator_.value(argument(i)); }
  double number(std::size_t i);                    // NaN for nothing
  double number(std::size_t i, double otherwise);  // where there is no such argument
  std::size_t count(std::size_t i);                // a whole number from 0 on
  std::string text(std::size_t i);
  std::shared_ptr<const TableRows> table(std::size_t i);  // of a list, its column is `it`
  // The names from argument i on: texts, or lists of them.
  std::vector<std::string> names(std::size_t i, std::size_t end);
  // A table or a list; all else is as it is.
  TemplateValue collection(std::size_t i) { return as_collection(value(i)); }

  // The argument for each row of the table, in order; nothing included.
  std::vector<TemplateValue> for_each_row(const TableRows& table, std::size_t argument);
  // The same as numbers; NaN for nothing.
  std::vector<double> numbers(const TableRows& table, std::size_t argument);

  [[noreturn]] void refuse(std::size_t argument, std::string_view expected,
                           const TemplateValue& got) const;

 private:
  Evaluator& evaluator_;
  const Expression& call_;
};

struct TemplateFunction {
  std::string name;
  std::string usage;                       // "where(table, condition)"
  std::size_t least, most;                 // arguments
  std::vector<std::size_t> row_arguments;  // evaluated for each row, where columns are names
  TemplateValue (*run)(FunctionCall&);
};

inline constexpr std::size_t kAnyNumber = 20;  // of arguments

const std::vector<TemplateFunction>& template_functions();
const TemplateFunction* find_function(std::string_view name);  // null: there is none
std::vector<TemplateFunction> table_functions();
std::vector<TemplateFunction> text_functions();
std::vector<TemplateFunction> statistics_functions();
std::vector<TemplateFunction> computed_column_functions();

// What is wrong with the name or the number of arguments; "" for nothing.
std::string mistake_in_call(const Expression& call);

// An Error where there is no such function, or it takes another number of arguments.
TemplateValue call_function(Evaluator& evaluator, const Expression& call);

}  // namespace headway
