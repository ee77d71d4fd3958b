#include "lib/extrapolation/findings/positions.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/text.h"
#include "lib/extrapolation/findings/position_measures.h"
#include "lib/extrapolation/findings/reach_sentences.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

std::string error_number(double value) {
  return std::isfinite(value) ? decimal_text(value, 2) : "not measured";
}

const char* holding_text(Holding holding) {
  switch (holding) {
    case Holding::kExactly:
      return "holds to numerical precision";
    case Holding::kAbout:
      return "holds about";
    case Holding::kNot:
      return "does not hold";
    case Holding::kUnknown:
      break;
  }
  return "is not known";
}

// "holds to numerical precision inside (error 3.1e-09) and beyond (4e-09)"
std::string holds_text(const InsideBeyond& error) {
  const Holding inside = holding_of(error.inside), beyond = holding_of(error.beyond);
  const auto where = [](const char* name, Holding holding, double value, const char* word) {
    return holding == Holding::kUnknown ? std::string(name)
                                        : fmt::format("{} ({}{})", name, word, error_number(value));
  };
  const std::string in = where("inside", inside, error.inside, "error ");
  const std::string out =
      where("beyond", beyond, error.beyond, inside == Holding::kUnknown ? "error " : "");
  if (inside == beyond && inside == Holding::kNot)
    return fmt::format("holds neither {} nor {}", in, out);
  if (inside == beyond) return fmt::format("{} {} and {}", holding_text(inside), in, out);
  return fmt::format("{} {} but {} {}", holding_text(inside), in, holding_text(beyond), out);
}

std::string without_vectors_text(const PositionMeasures& measures) {
  if (measures.is_constant) {
    return "adds no vectors and puts the same factor on every attention weight: it says nothing of "
           "positions.";
  }
  return fmt::format(
      "adds no vectors; that the factor it puts on attention weights depends on $t - s$ alone {}.",
      holds_text(measures.distance));
}

std::string with_vectors_text(const PositionMeasures& measures) {
  std::string text = fmt::format("that $P_t \\cdot P_s$ depends on $t - s$ alone {}.",
                                 holds_text(measures.distance));
  if (!measures.shifts.empty()) {
    text += fmt::format(" That one rotation of pairs takes every $P_t$ to $P_{{t+k}}$ {}{}.",
                        holds_text(measures.pairs),
                        measures.shifts.size() > 1 ? fmt::format("; these are the largest errors "
                                                                 "of $k$ = {}",
                                                                 enumerated(measures.shifts))
                                                   : " for $k$ = " + measures.shifts.front());
    const bool is_exact = holding_of(measures.pairs.inside) == Holding::kExactly &&
                          holding_of(measures.pairs.beyond) == Holding::kExactly;
    if (!is_exact)
      text += fmt::format(" The best of all rotations leaves {} inside and {} beyond.",
                          error_number(measures.any.inside), error_number(measures.any.beyond));
  }
  if (measures.stands_still_beyond()) {
    text +=
        " Beyond, all positions have the same vector: what holds there says nothing of their "
        "order.";
  }
  return text;
}

std::string measured_range_text(const std::vector<PositionMeasures>& all) {
  const PositionMeasures& first = all.front();
  const bool is_same = std::all_of(all.begin(), all.end(), [&](const PositionMeasures& other) {
    return other.positions == first.positions && other.trained == first.trained;
  });
  if (!is_same || first.positions == 0 || first.trained == 0) return "";
  return fmt::format("Measured on {} ({} trained). ", counted(first.positions, "position"),
                     count_text(std::min(first.trained, first.positions)));
}

std::string measures_row(const PositionMeasures& measures) {
  std::vector<std::string> cells = {measures.name};
  for (const InsideBeyond& measure :
       {measures.distance, measures.pairs, measures.any, measures.step}) {
    for (const double value : {measure.inside, measure.beyond})
      cells.push_back(std::isfinite(value) ? decimal_text(value) : "");
  }
  return "| " + join(cells, " | ") + " |\n";
}

// Models by whether their positions are regular beyond the trained ones. Trainings count once, and
// only those that learned: others fail whatever their positions are.
struct ByRegularity {
  ModelGroup regular, others, not_learned;
};

ByRegularity split_by_regularity(const std::vector<ModelLengths>& models,
                                 const std::vector<PositionMeasures>& all,
                                 const std::string& negatives) {
  ByRegularity split;
  for (const ModelLengths& model : models) {
    if (model.beyond(negatives).empty() || !model.same_as.empty()) continue;
    std::size_t measured = 0, regular = 0;
    for (const PositionMeasures& measures : all) {
      if (measures.encoding.empty() || measures.encoding != model.encoding) continue;
      ++measured;
      regular += measures.is_regular_beyond();
    }
    if (measured == 0) continue;
    (!model.has_learned(negatives) ? split.not_learned
     : regular == measured         ? split.regular
                                   : split.others)
        .push_back(&model);
  }
  return split;
}

// "`a` and `b` up to 1,024 (the longest), `c` at none"
std::string reached_text(const ModelGroup& models, const std::string& negatives) {
  std::vector<std::pair<std::string, ModelGroup>> by_reach;  // in the order of the models
  for (const ModelLengths* model : models) {
    const Reach reach = reach_of(*model, negatives);
    const std::string text = reach.nearly_all
                                 ? fmt::format("up to {}{}", count_text(*reach.nearly_all),
                                               reach.is_nearly_all() ? " (the longest)" : "")
                                 : "at none";
    auto found = std::find_if(by_reach.begin(), by_reach.end(),
                              [&](const auto& entry) { return entry.first == text; });
    if (found == by_reach.end()) found = by_reach.insert(by_reach.end(), {text, {}});
    found->second.push_back(model);
  }
  std::vector<std::string> parts;
  for (const auto& [text, group] : by_reach)
    parts.push_back(fmt::format("{} {}", group_names(group), text));
  return join(parts, "; ");
}

// What is at chance at the longest length does not extrapolate; what is a little below 99 % there
// is no counter-example.
ModelGroup at_chance_in_the_end(const ModelGroup& models, const std::string& negatives) {
  ModelGroup chosen;
  for (const ModelLengths* model : models) {
    const LengthResult longest = model->beyond(negatives).back();
    if (standing_of(longest.accuracy) != Standing::kAbove) chosen.push_back(model);
  }
  return chosen;
}

std::string regularity_text(const ByRegularity& split, const std::string& negatives) {
  std::vector<std::string> parts = {
      fmt::format("With such positions: {}.", reached_text(split.regular, negatives))};
  if (!split.others.empty())
    parts.push_back(fmt::format("Without: {}.", reached_text(split.others, negatives)));
  if (!split.not_learned.empty())
    parts.push_back(
        fmt::format("Left out, because not above chance within the trained lengths: "
                    "{}.",
                    group_names(split.not_learned)));
  const ModelGroup failing = at_chance_in_the_end(split.regular, negatives);
  const ModelGroup passing = grouped_by_reach(split.others, negatives).nearly_all;
  if (!failing.empty()) {
    parts.push_back(fmt::format(
        "So such positions alone are not enough: {} {} not above chance at the longest.",
        group_names(failing), group_verb(failing, "is", "are")));
  }
  if (!passing.empty()) {
    parts.push_back(fmt::format("{} not needed: {} {} without.",
                                failing.empty() ? "So such positions are" : "And they are",
                                group_names(passing), group_verb(passing, "does", "do")));
  }
  std::string text = fmt::format(
      "With {} negatives, up to which length beyond the trained ones models are at "
      "99 % or more:",
      markdown_code(negatives));
  for (const std::string& part : parts) text += "\n  - " + part;
  return text;
}

}  // namespace

std::string tell_position_properties(const Sources& sources) {
  const std::vector<PositionMeasures> all = read_position_measures(sources);
  if (all.empty()) return "No encoding was measured.\n";
  std::string text;
  for (const PositionMeasures& measures : all) {
    text += fmt::format(
        "- {}{} {}\n", measures.name, measures.has_vectors() ? ":" : "",
        measures.has_vectors() ? with_vectors_text(measures) : without_vectors_text(measures));
  }
  text +=
      "\n| encoding | distance, inside | beyond | rotation of pairs, inside | beyond | any "
      "rotation, inside | beyond | step, inside | beyond |\n| --- | ---: | ---: | ---: | ---: "
      "| ---: | ---: | ---: | ---: |\n";
  for (const PositionMeasures& measures : all) text += measures_row(measures);
  return text + fmt::format(
                    "\n{}Inside: the trained positions; beyond: those after them. Errors are "
                    "relative: 0 is a property that holds; up to {} it is said to hold about. The "
                    "step is the distance of neighbouring vectors.\n",
                    measured_range_text(all), percent_text(kAboutLimit));
}

std::string tell_regularity(const Sources& sources) {
  const std::vector<PositionMeasures> all = read_position_measures(sources);
  std::vector<ModelLengths> models = read_model_lengths(sources, "lengths");
  read_what_models_are(sources, "models", models);
  std::vector<std::string> names, sentences;
  for (const PositionMeasures& measures : all) {
    if (measures.is_regular_beyond()) names.push_back(measures.name);
  }
  sentences.push_back(
      names.empty() ? "No encoding is regular beyond the trained positions."
                    : fmt::format("Regular beyond the trained positions, to numerical precision: "
                                  "{}.",
                                  enumerated(names)));
  for (const std::string& negatives : negatives_in(models)) {
    const ByRegularity split = split_by_regularity(models, all, negatives);
    if (!split.regular.empty()) {
      sentences.push_back(regularity_text(split, negatives));
    } else if (!names.empty()) {
      sentences.push_back(fmt::format(
          "With {} negatives no model with such positions is above chance within the trained "
          "lengths.",
          markdown_code(negatives)));
    }
  }
  return bullets(sentences);
}

}  // namespace headway
