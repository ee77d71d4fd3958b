// Evaluates template expressions with the report's artifacts and the names that `let` and `for`
// define. Limits the total work.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/report/expression.h"
#include "lib/report/sources.h"
#include "lib/report/template_value.h"

namespace headway {

class Evaluator {
 public:
  // Returns the values of a pipeline or stage parameter as text.
  using ParameterReader = std::function<std::string(const std::string&)>;

  // `sources` must outlive the object.
  Evaluator(const Sources& sources, ParameterReader parameter)
      : sources_(sources), parameter_(std::move(parameter)) {}

  // All throw Error, without a location, if an artifact does not fit the expression. Then the
  // object must not be used any more.
  TemplateValue value(const Expression& expression);
  // A bare name that is neither a variable nor a column is true if that input is connected.
  bool truth(const Expression& condition);
  // The value of {{ EXPRESSION FORMAT }} as escaped Markdown.
  std::string text(const Expression& expression, const std::string& format);

  void define(const std::string& name, TemplateValue value) {
    variables_.emplace_back(name, std::move(value));
  }
  // Removes all variables after the first `count`.
  void forget_after(std::size_t count) { variables_.resize(count); }
  std::size_t variable_count() const { return variables_.size(); }

  // For functions (lib/report/functions.h).
  TemplateValue value_in(const TableRow& row,
                         const Expression& expression);  // columns are names
  bool has_input(std::string_view name) const { return sources_.has(name); }
  std::string parameter(const std::string& path) const { return parameter_(path); }
  // Throws Error if the total exceeds the limit.
  void count_steps(std::size_t steps);

 private:
  const TemplateValue* find_variable(std::string_view name) const;
  bool in_row() const { return !rows_.empty(); }
  TemplateValue path_value(const Expression& path);
  TemplateValue field_value(const TemplateValue& value, std::string_view path);
  std::optional<TemplateValue> find_in_row(const TableRow& row, std::string_view path);
  TemplateValue input_value(const std::string& name);
  TemplateValue operation(const Expression& expression);

  const Sources& sources_;
  ParameterReader parameter_;
  std::vector<std::pair<std::string, TemplateValue>> variables_;
  std::vector<TableRow> rows_;                   // their columns are names; innermost last
  std::map<std::string, TemplateValue> inputs_;  // cache
  std::size_t steps_ = 0;
};

// The rows of a table or items of a list; empty for no value. Throws Error for other values.
std::vector<TemplateValue> items_of(const TemplateValue& value);

// An artifact as a table or metrics. A list of artifacts becomes one table with a column `item`;
// each metrics file is a row.
TemplateValue read_input(const Sources& sources, const std::string& name);
// Converts metrics to a table of one row, because a list may have one artifact. Other values stay.
TemplateValue as_collection(TemplateValue value);
// Also converts a row to a table, and a list to a table with the column `it`.
TemplateValue as_table(TemplateValue value);

}  // namespace headway
