#include "lib/extrapolation/findings/failures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "lib/extrapolation/findings/length_results.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"
#include "lib/report/reading.h"

namespace headway {
namespace {

struct ConfidentFailure {
  std::string model;  // in Markdown
  std::size_t length = 0;
  std::string negatives;
  bool is_sorted = false;
  double probability = 0;  // of the wrong answer
  double violation = 0;    // place of the first, from 0; NaN where there is none
  std::string at;          // the values around it
};

struct ListedFailures {
  std::vector<std::string> models, models_without;
  std::vector<ConfidentFailure> failures;
  std::vector<std::string> notes;  // on what is left out
};

ConfidentFailure read_failure(const Table& table, std::size_t row, const SourceFile& file) {
  ConfidentFailure failure;
  failure.model = model_label(file.item);
  failure.length = whole_number(table, row, "length", file.origin);
  failure.negatives = table.text(row, "negatives");
  failure.is_sorted = table.text(row, "label") == "sorted";
  failure.probability = share_number(table, row, "probability", file.origin);
  failure.violation = optional_number(table, row, "violation", file.origin);
  if (!std::isnan(failure.violation))
    failure.violation = static_cast<double>(whole_number(table, row, "violation", file.origin));
  failure.at = table.text(row, "at");
  return failure;
}

// What a model that is another's training got wrong within the trained lengths is listed there.
bool is_repeated(const ConfidentFailure& failure, const ModelLengths* model) {
  return model && !model->same_as.empty() && failure.length <= model->trained_to;
}

ListedFailures read_confident_failures(const Sources& sources) {
  std::vector<ModelLengths> models;
  if (sources.has("lengths")) models = read_model_lengths(sources, "lengths");
  ListedFailures listed;
  for (const SourceFile& file : sources.files("failures")) {
    const Table table = parse_csv(file.bytes, file.origin);
    require_columns(table, {"length", "negatives", "label", "probability", "violation", "at"},
                    "a list of failures", file.origin);
    const std::string name = model_label(file.item);
    const auto found = std::find_if(models.begin(), models.end(),
                                    [&](const ModelLengths& known) { return known.name == name; });
    const ModelLengths* model = found == models.end() ? nullptr : &*found;
    listed.models.push_back(name);
    if (table.size() == 0) listed.models_without.push_back(name);
    bool has_repeated = false;
    for (std::size_t row = 0; row < table.size(); ++row) {
      ConfidentFailure failure = read_failure(table, row, file);
      has_repeated = has_repeated || is_repeated(failure, model);
      if (!is_repeated(failure, model)) listed.failures.push_back(std::move(failure));
    }
    if (has_repeated)
      listed.notes.push_back(
          fmt::format("Within the trained lengths {} is {}, and not listed "
                      "again.",
                      name, model->same_as));
  }
  return listed;
}

// What is written with six digits is not all of it. The number comes first: tables sort by it.
std::string probability_text(double probability) {
  return probability > 0.999999 ? "99.9999 % (or more)" : percent_text(probability);
}

// How many are listed at most of each model, length and kind: a choice of who lists them.
std::size_t most_of_each(const std::vector<ConfidentFailure>& failures) {
  std::map<std::tuple<std::string, std::size_t, std::string>, std::size_t> counts;
  std::size_t most = 0;
  for (const ConfidentFailure& failure : failures)
    most = std::max(most, ++counts[{failure.model, failure.length, failure.negatives}]);
  return most;
}

// The surest of each model and kind of unsorted sequences, in the order of the lists.
std::vector<const ConfidentFailure*> examples_of(const std::vector<ConfidentFailure>& failures) {
  std::vector<const ConfidentFailure*> examples;
  for (const ConfidentFailure& failure : failures) {
    const auto same = std::find_if(examples.begin(), examples.end(), [&](const auto* example) {
      return example->model == failure.model && example->negatives == failure.negatives;
    });
    if (same == examples.end()) {
      examples.push_back(&failure);
    } else if (failure.probability > (*same)->probability) {
      *same = &failure;
    }
  }
  return examples;
}

// The least sure of the surest, and the surest: these do not depend on how many are listed.
std::string surest_text(const ListedFailures& listed) {
  std::map<std::string, double> surest;
  for (const ConfidentFailure& failure : listed.failures)
    surest[failure.model] = std::max(surest[failure.model], failure.probability);
  const auto [least, most] =
      std::minmax_element(surest.begin(), surest.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::string low = probability_text(least->second), high = probability_text(most->second);
  return fmt::format("{} {} sure of wrong answers: the surest of each has a probability {}.",
                     n_of_m(surest.size(), listed.models.size(), "models"),
                     surest.size() == 1 ? "is" : "are",
                     low == high ? "of " + low : fmt::format("from {} to {}", low, high));
}

std::string example_row(const ConfidentFailure& failure) {
  const bool has_place = std::isfinite(failure.violation);
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", failure.model,
                     markdown_code(failure.negatives), count_text(failure.length),
                     failure.is_sorted ? "unsorted, though sorted" : "sorted, though unsorted",
                     probability_text(failure.probability),
                     has_place ? count_text(static_cast<std::size_t>(failure.violation)) : "",
                     failure.at.empty() ? "" : markdown_code(failure.at));
}

}  // namespace

std::string tell_failures(const Sources& sources) {
  const ListedFailures listed = read_confident_failures(sources);
  const std::vector<ConfidentFailure>& failures = listed.failures;
  if (failures.empty()) {
    return fmt::format("No confident wrong answer of {} is listed.\n",
                       counted(listed.models.size(), "model"));
  }
  std::vector<std::string> sentences = {surest_text(listed)};
  if (!listed.models_without.empty())
    sentences.push_back(fmt::format("None is listed of {}.", enumerated(listed.models_without, 8)));
  sentences.insert(sentences.end(), listed.notes.begin(), listed.notes.end());
  sentences.push_back(fmt::format(
      "The lists hold the surest of each model, length and kind of negatives, at most {} of each; "
      "so how many there are of one sort says nothing of how often it happens.",
      count_text(most_of_each(failures))));
  std::string text = bullets(sentences) +
                     "\n| model | negatives | length | answer | probability | first violation at | "
                     "values there |\n| --- | --- | ---: | --- | ---: | ---: | --- |\n";
  for (const ConfidentFailure* failure : examples_of(failures)) text += example_row(*failure);
  return text +
         "\nThe surest wrong answer of each model and kind of negatives, with the probability that "
         "it was given; places count from 0.\n";
}

}  // namespace headway
