// Gives expressions of a template their values: from the artifacts of the report, and from the
// names that `let` and `for` define. What it costs is limited, whatever the template says.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/report/expression.h"
#include "lib/report/sources.h"
#include "lib/report/template_value.h"

namespace headway {

class Evaluator {
 public:
  // Of a parameter of the pipeline or a stage: its values as a text.
  using ParameterReader = std::function<std::string(const std::string&)>;

  // `sources` must outlive it.
  Evaluator(const Sources& sources, ParameterReader parameter)
      : sources_(sources), parameter_(std::move(parameter)) {}

  // Each throws Error, without a place, where an artifact is not what the expression needs.
  TemplateValue value(const Expression& expression);
  // A bare name that is no variable and no column asks whether the input is connected.
  bool truth(const Expression& condition);
  // What {{ EXPRESSION FORMAT }} becomes: Markdown, escaped.
  std::string text(const Expression& expression, const std::string& format);

  void define(const std::string& name, TemplateValue value) {
    variables_.emplace_back(name, std::move(value));
  }
  // Forgets what was defined since there were `count` variables.
  void forget_after(std::size_t count) { variables_.resize(count); }
  std::size_t variable_count() const { return variables_.size(); }

  // For functions (lib/report/functions.h).
  TemplateValue value_in(const TableRow& row,
                         const Expression& expression);  // its columns are names
  bool truth_in(const TableRow& row, const Expression& expression);
  bool has_input(std::string_view name) const { return sources_.has(name); }
  std::string parameter(const std::string& path) const { return parameter_(path); }
  // An Error once all of them together are too many.
  void count_steps(std::size_t steps);

 private:
  const TemplateValue* find_variable(std::string_view name) const;
  bool in_row() const { return !rows_.empty(); }
  TemplateValue path_value(const Expression& path);
  TemplateValue field_value(const TemplateValue& value, std::string_view path);
  TemplateValue row_field(const TableRow& row, std::string_view path);
  TemplateValue input_value(const std::string& name);
  TemplateValue operation(const Expression& expression);

  const Sources& sources_;
  ParameterReader parameter_;
  std::vector<std::pair<std::string, TemplateValue>> variables_;
  std::vector<TableRow> rows_;                   // whose columns are names, the innermost last
  std::map<std::string, TemplateValue> inputs_;  // that were read
  std::size_t steps_ = 0;
};

// The rows of a table or the items of a list; none of nothing. An Error for the rest.
std::vector<TemplateValue> items_of(const TemplateValue& value);

// An artifact as a value: a table, or metrics. Those of a list are one table with a column `item`,
// and metrics are a row of it.
TemplateValue read_input(const Sources& sources, const std::string& name);
// Metrics as such a table of one row, since a list may have one artifact; all else as it is.
TemplateValue as_collection(TemplateValue value);
// The same, and a row as a table of its own, a list as a table with the column `it`.
TemplateValue as_table(TemplateValue value);

// A table that was computed. `origin` is whose rows it has, for messages.
TemplateValue all_rows(Table table, const std::string& origin);

// All values inside of metrics at their dotted paths: a table with the columns key and value.
TemplateValue entries_of(const MetricsValue& metrics);

}  // namespace headway
