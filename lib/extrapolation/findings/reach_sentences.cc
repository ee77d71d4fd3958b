#include "lib/extrapolation/findings/reach_sentences.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/report/phrases.h"

namespace headway {
namespace {

constexpr std::size_t kMostModelsNamed = 8;  // named in one sentence

// " (8 to 16)" where all were trained on the same.
std::string trained_range_text(const ModelGroup& models) {
  for (const ModelLengths* model : models) {
    if (model->trained_from != models.front()->trained_from ||
        model->trained_to != models.front()->trained_to)
      return "";
  }
  return fmt::format(" ({} to {})", count_text(models.front()->trained_from),
                     count_text(models.front()->trained_to));
}

const char* standing_text(const MeasuredShare& accuracy) {
  switch (standing_of(accuracy)) {
    case Standing::kAbove:
      return "above chance";
    case Standing::kBelow:
      return "below chance";
    case Standing::kAtChance:
      break;
  }
  return "at chance";
}

std::string models_above_text(std::vector<ScoredModel> above, std::size_t all) {
  if (above.empty()) return fmt::format("none of {} is above chance", counted(all, "model"));
  std::stable_sort(above.begin(), above.end(), [](const ScoredModel& a, const ScoredModel& b) {
    return a.accuracy.value < b.accuracy.value;
  });
  const std::string how_many = above.size() == all
                                   ? fmt::format("all {} models are", count_text(all))
                                   : fmt::format("{} {}", n_of_m(above.size(), all, "models"),
                                                 above.size() == 1 ? "is" : "are");
  if (above.size() == 1)
    return fmt::format("{} above chance: {}", how_many, scored_model_text(above[0]));
  return fmt::format("{} above chance, from {} to {}", how_many, scored_model_text(above.front()),
                     scored_model_text(above.back()));
}

// Those that are not above chance.
std::string others_text(const std::vector<ScoredModel>& others) {
  std::vector<std::string> at_chance, below;
  for (const ScoredModel& scored : others) {
    const bool is_below = standing_of(scored.accuracy) == Standing::kBelow;
    (is_below ? below : at_chance).push_back(scored_model_text(scored));
  }
  std::string text;
  if (!at_chance.empty())
    text += fmt::format(" At chance: {}.", enumerated(at_chance, kMostModelsNamed));
  if (!below.empty()) text += fmt::format(" Below it: {}.", enumerated(below, kMostModelsNamed));
  return text;
}

// "at every length tested (24 to 1,024)"
std::string tested_lengths(const ModelGroup& models, const std::string& negatives) {
  const std::string first = lengths_text(models.front()->beyond(negatives));
  for (const ModelLengths* model : models) {
    if (lengths_text(model->beyond(negatives)) != first) return "length tested";
  }
  return fmt::format("length tested ({})", first);
}

std::string lowest_accuracy_text(const ModelGroup& models, const std::string& negatives) {
  std::vector<LengthResult> lowest;
  for (const ModelLengths* model : models) {
    lowest.push_back(lowest_of(model->beyond(negatives)));
  }
  const LengthResult& worst = lowest_of(lowest);
  if (worst.accuracy.value == 1)
    return fmt::format("no answer is wrong, which at {} is {}", count_text(worst.length),
                       share_text(worst.accuracy));
  return fmt::format("the lowest is {} at {}", share_text(worst.accuracy),
                     count_text(worst.length));
}

// Where it stays above chance for a while, and is not at the end.
std::string partial_reach_text(const ModelLengths& model, const std::string& negatives) {
  const Reach reach = reach_of(model, negatives);
  const LengthResult& last = *at_length(reach.tested, *reach.above_chance);
  const LengthResult& next =
      *(&last + 1);  // there is one, else it would be above chance to the end
  std::string text = model.name;
  if (reach.nearly_all) {
    text += fmt::format(" is at 99 % or more up to {},", count_text(*reach.nearly_all));
  }
  if (reach.nearly_all != reach.above_chance) {
    text += fmt::format("{} above chance up to {}, with {},", reach.nearly_all ? "" : " is",
                        count_text(last.length), share_text(last.accuracy));
  }
  return text + fmt::format(" and {} at {}, with {}", standing_text(next.accuracy),
                            count_text(next.length), share_text(next.accuracy));
}

std::string late_reach_text(const ModelLengths& model, const std::string& negatives) {
  const std::vector<LengthResult> tested = model.beyond(negatives);
  std::vector<std::string> lengths;
  for (const LengthResult& result : tested) {
    if (standing_of(result.accuracy) == Standing::kAbove)
      lengths.push_back(count_text(result.length));
  }
  return fmt::format("{} is {} at {}, with {}, though above chance at {}", model.name,
                     standing_text(tested.front().accuracy), count_text(tested.front().length),
                     share_text(tested.front().accuracy), enumerated(lengths));
}

// "`b` is `a` there, and not counted again."
std::string counted_once_text(const ModelGroup& models) {
  std::string text;
  for (const ModelLengths* model : models)
    text += fmt::format(" {} is {} there, and not counted again.", model->name, model->same_as);
  return text;
}

bool is_among(const ModelGroup& models, const std::string& name) {
  return std::any_of(models.begin(), models.end(),
                     [&](const ModelLengths* model) { return model->name == name; });
}

std::string never_text(const ModelGroup& models, const std::string& negatives,
                       const char* besides) {
  return fmt::format("{} {}{} above chance at no {}", group_names(models), besides,
                     group_verb(models, "is", "are"), tested_lengths(models, negatives));
}

}  // namespace

ModelGroup models_with(const std::vector<ModelLengths>& models, const std::string& negatives) {
  ModelGroup chosen;
  for (const ModelLengths& model : models) {
    if (model.has(negatives)) chosen.push_back(&model);
  }
  return chosen;
}

std::string group_names(const ModelGroup& models) {
  std::vector<std::string> names;
  for (const ModelLengths* model : models) names.push_back(model->name);
  return enumerated(names, kMostModelsNamed);
}

std::string group_verb(const ModelGroup& models, const char* of_one, const char* of_many) {
  return models.size() == 1 ? of_one : of_many;
}

std::string scored_model_text(const ScoredModel& scored) {
  return fmt::format("{} with {}", scored.model->name, share_text(scored.accuracy));
}

std::string trained_lengths_text(const ModelGroup& models, const std::string& negatives) {
  std::vector<ScoredModel> above, others, all;
  ModelGroup repeated;
  for (const ModelLengths* model : models) {
    const std::vector<LengthResult> results = model->within(negatives);
    if (results.empty()) continue;
    if (!model->same_as.empty() && is_among(models, model->same_as)) {
      repeated.push_back(model);
      continue;
    }
    all.push_back({model, pooled_accuracy(results)});
    const bool is_above = standing_of(all.back().accuracy) == Standing::kAbove;
    (is_above ? above : others).push_back(all.back());
  }
  const std::string range = trained_range_text(models);
  if (all.empty()) return fmt::format("Within the trained lengths{} nothing was measured.", range);
  if (all.size() == 1) {
    return fmt::format("Within the trained lengths{} {} is at {}, {}.{}", range, all[0].model->name,
                       share_text(all[0].accuracy), standing_text(all[0].accuracy),
                       counted_once_text(repeated));
  }
  return fmt::format("Within the trained lengths{} {}.{}{}", range,
                     models_above_text(above, all.size()), others_text(others),
                     counted_once_text(repeated));
}

ByReach grouped_by_reach(const ModelGroup& models, const std::string& negatives) {
  ByReach groups;
  for (const ModelLengths* model : models) {
    const Reach reach = reach_of(*model, negatives);
    ModelGroup& group = reach.tested.empty()            ? groups.untested
                        : reach.is_nearly_all()         ? groups.nearly_all
                        : reach.is_above_chance()       ? groups.above
                        : reach.above_chance            ? groups.some
                        : reach.is_never_above_chance() ? groups.never
                                                        : groups.late;
    group.push_back(model);
    if (&group == &groups.never && !model->has_learned(negatives))
      groups.never_learned.push_back(model);
  }
  return groups;
}

std::vector<std::string> longer_lengths_text(const ModelGroup& models,
                                             const std::string& negatives) {
  const ByReach groups = grouped_by_reach(models, negatives);
  std::vector<std::string> parts;
  const auto add = [&](const ModelGroup& group, const char* of_one, const char* of_many) {
    if (group.empty()) return;
    parts.push_back(
        fmt::format("{} {} at every {}; {}", group_names(group), group_verb(group, of_one, of_many),
                    tested_lengths(group, negatives), lowest_accuracy_text(group, negatives)));
  };
  add(groups.nearly_all, "is at 99 % or more", "are at 99 % or more");
  add(groups.above, "is above chance", "are above chance");
  for (const ModelLengths* model : groups.some)
    parts.push_back(partial_reach_text(*model, negatives));
  for (const ModelLengths* model : groups.late) parts.push_back(late_reach_text(*model, negatives));
  ModelGroup never;
  for (const ModelLengths* model : groups.never) {
    if (!is_among(groups.never_learned, model->name)) never.push_back(model);
  }
  if (!never.empty()) parts.push_back(never_text(never, negatives, ""));
  if (!groups.never_learned.empty())
    parts.push_back(
        never_text(groups.never_learned, negatives, "(not above chance within them either) "));
  if (!groups.untested.empty())
    parts.push_back(fmt::format("{} {} not tested there", group_names(groups.untested),
                                group_verb(groups.untested, "was", "were")));
  for (std::string& part : parts) part = "Beyond them " + part + ".";
  return parts;
}

}  // namespace headway
