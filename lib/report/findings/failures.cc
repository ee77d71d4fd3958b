#include "lib/report/findings/failures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/report/escape.h"
#include "lib/report/findings/length_results.h"
#include "lib/report/phrases.h"

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
};

ListedFailures read_confident_failures(const Sources& sources) {
  ListedFailures listed;
  for (const SourceTable& source : sources.tables("failures")) {
    const Table& table = source.table;
    const std::string model = model_label(source.item);
    listed.models.push_back(model);
    if (table.size() == 0) listed.models_without.push_back(model);
    for (std::size_t row = 0; row < table.size(); ++row) {
      listed.failures.push_back({model, static_cast<std::size_t>(table.number(row, "length")),
                                 table.text(row, "negatives"), table.text(row, "label") == "sorted",
                                 table.number(row, "probability"), table.number(row, "violation"),
                                 table.text(row, "at")});
    }
  }
  return listed;
}

// What is written with six digits is not all of it.
std::string probability_text(double probability) {
  return probability >= 0.99999 ? "over 99.999 %" : percent_text(probability);
}

std::string sureness_text(const std::vector<ConfidentFailure>& failures) {
  const auto [least, most] = std::minmax_element(
      failures.begin(), failures.end(),
      [](const auto& a, const auto& b) { return a.probability < b.probability; });
  const std::string low = probability_text(least->probability);
  const std::string high = probability_text(most->probability);
  return low == high ? "at " + low : fmt::format("from {} to {}", low, high);
}

std::string ways_text(const std::vector<ConfidentFailure>& failures) {
  const auto alarms = static_cast<std::size_t>(std::count_if(
      failures.begin(), failures.end(), [](const auto& failure) { return failure.is_sorted; }));
  if (alarms == failures.size()) return "All of them are sorted sequences called unsorted.";
  if (alarms == 0) return "All of them are unsorted sequences called sorted.";
  return fmt::format("{} of them {} called unsorted, {} {} called sorted.", count_text(alarms),
                     alarms == 1 ? "is a sorted sequence" : "are sorted sequences",
                     count_text(failures.size() - alarms),
                     failures.size() - alarms == 1 ? "is an unsorted one" : "are unsorted ones");
}

// Where the violation was that was not seen: within what was trained, or beyond.
std::string missed_places_text(const std::vector<ConfidentFailure>& failures,
                               const std::vector<ModelLengths>& models) {
  std::size_t early = 0, late = 0;
  for (const ConfidentFailure& failure : failures) {
    if (failure.is_sorted || std::isnan(failure.violation)) continue;
    const auto model = std::find_if(models.begin(), models.end(), [&](const ModelLengths& known) {
      return known.name == failure.model;
    });
    if (model == models.end() || failure.length <= model->trained_to) continue;
    // Both values that are out of order must be at trained positions.
    const bool is_late = failure.violation + 1 >= static_cast<double>(model->trained_to);
    ++(is_late ? late : early);
  }
  if (early + late == 0) return "";
  return fmt::format(
      "Of the {} listed in sequences longer than the trained ones, {} {} within the "
      "trained positions and {} beyond.",
      counted(early + late, "missed violation"), count_text(early), early == 1 ? "is" : "are",
      count_text(late));
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
  std::vector<ModelLengths> models;
  if (sources.has("lengths")) models = read_model_lengths(sources, "lengths");
  const std::vector<ConfidentFailure>& failures = listed.failures;
  if (failures.empty()) {
    return fmt::format("No confident wrong answer of {} is listed.\n",
                       counted(listed.models.size(), "model"));
  }
  std::vector<std::string> sentences = {
      fmt::format("{} of {} {} listed, with probabilities of the wrong answer {}.",
                  counted(failures.size(), "confident wrong answer"),
                  counted(listed.models.size(), "model"), failures.size() == 1 ? "is" : "are",
                  sureness_text(failures)),
      ways_text(failures)};
  const std::string places = missed_places_text(failures, models);
  if (!places.empty()) sentences.push_back(places);
  if (!listed.models_without.empty())
    sentences.push_back(fmt::format("None is listed of {}.", enumerated(listed.models_without, 8)));
  std::string text = bullets(sentences) +
                     "\n| model | negatives | length | answer | probability | first violation at | "
                     "values there |\n| --- | --- | ---: | --- | ---: | ---: | --- |\n";
  for (const ConfidentFailure* failure : examples_of(failures)) text += example_row(*failure);
  return text + "\nThe surest of each; places count from 0.\n";
}

}  // namespace headway
