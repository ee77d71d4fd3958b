#include "lib/extrapolation/findings/model_comparisons.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/extrapolation/findings/reach_sentences.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

constexpr std::size_t kUsualLongLength = 256;

// Models that are alike but for one choice.
struct AlikeModels {
  std::string shared;
  ModelGroup models;
};

std::vector<AlikeModels> alike_in(const std::vector<ModelLengths>& models,
                                  std::string ModelLengths::*shared) {
  std::vector<AlikeModels> groups;
  for (const ModelLengths& model : models) {
    if (model.encoding.empty() || model.pooling.empty() || !model.same_as.empty()) continue;
    auto found = std::find_if(groups.begin(), groups.end(), [&](const AlikeModels& group) {
      return group.shared == model.*shared;
    });
    if (found == groups.end()) found = groups.insert(groups.end(), {model.*shared, {}});
    found->models.push_back(&model);
  }
  std::erase_if(groups, [](const AlikeModels& group) { return group.models.size() < 2; });
  return groups;
}

// All of them at one length beyond the trained ones, the best first; empty where one is missing.
std::vector<ScoredModel> scored_at(const ModelGroup& models, const std::string& negatives,
                                   std::size_t length) {
  std::vector<ScoredModel> scored;
  for (const ModelLengths* model : models) {
    const std::vector<LengthResult> tested = model->beyond(negatives);
    const LengthResult* result = at_length(tested, length);
    if (!result) return {};
    scored.push_back({model, result->accuracy});
  }
  std::stable_sort(scored.begin(), scored.end(), [](const ScoredModel& a, const ScoredModel& b) {
    return a.accuracy.value > b.accuracy.value;
  });
  return scored;
}

bool are_any_apart(const std::vector<ScoredModel>& scored, std::size_t comparisons) {
  for (const ScoredModel& a : scored) {
    for (const ScoredModel& b : scored) {
      if (are_apart(a.accuracy, b.accuracy, comparisons)) return true;
    }
  }
  return false;
}

struct LengthsCompared {
  std::vector<std::size_t> lengths;  // that all were tested at
  std::vector<std::size_t> apart;    // of these, where two can be told apart
  std::size_t comparisons = 0;       // of every two models at every length
};

LengthsCompared compare_lengths(const ModelGroup& models, const std::string& negatives) {
  LengthsCompared compared;
  for (const LengthResult& result : models.front()->beyond(negatives)) {
    if (!scored_at(models, negatives, result.length).empty())
      compared.lengths.push_back(result.length);
  }
  compared.comparisons = compared.lengths.size() * models.size() * (models.size() - 1) / 2;
  for (const std::size_t length : compared.lengths) {
    if (are_any_apart(scored_at(models, negatives, length), compared.comparisons))
      compared.apart.push_back(length);
  }
  return compared;
}

std::string apart_text(const LengthsCompared& compared, bool are_two) {
  const std::string all = counted(compared.lengths.size(), "length");
  const std::string subject = are_two ? "they are" : "some of them are";
  if (compared.apart.empty()) {
    return fmt::format("{} distinguishable at any of {} beyond the trained ones",
                       are_two ? "they are not" : "no two of them are", all);
  }
  if (compared.apart.size() == compared.lengths.size())
    return fmt::format("{} distinguishable at every one of {} beyond the trained ones", subject,
                       all);
  std::vector<std::string> lengths;
  for (const std::size_t length : compared.apart) lengths.push_back(count_text(length));
  return fmt::format("{} distinguishable at {} of {} beyond the trained ones ({})", subject,
                     count_text(compared.apart.size()), all, enumerated(lengths));
}

// What did not learn says nothing of what a choice does beyond the trained lengths.
AlikeModels those_that_learned(const AlikeModels& group, const std::string& negatives) {
  AlikeModels learned = group;
  std::erase_if(learned.models, [&](const ModelLengths* model) {
    return !model->has(negatives) || !model->has_learned(negatives);
  });
  return learned;
}

ModelGroup those_that_did_not(const std::vector<AlikeModels>& groups,
                              const std::string& negatives) {
  ModelGroup others;
  for (const AlikeModels& group : groups) {
    for (const ModelLengths* model : group.models) {
      if (model->has(negatives) && !model->has_learned(negatives)) others.push_back(model);
    }
  }
  return others;
}

std::string alike_text(const AlikeModels& group, const char* what, const std::string& negatives,
                       const LengthsCompared& compared) {
  const bool has_usual = std::find(compared.lengths.begin(), compared.lengths.end(),
                                   kUsualLongLength) != compared.lengths.end();
  const std::size_t shown = has_usual ? kUsualLongLength : compared.lengths.back();
  std::vector<std::string> scores;
  for (const ScoredModel& scored : scored_at(group.models, negatives, shown))
    scores.push_back(scored_model_text(scored));
  return fmt::format("{} {}, at {}: {}; {}.", what, markdown_code(group.shared), count_text(shown),
                     enumerated(scores), apart_text(compared, group.models.size() == 2));
}

struct Choice {
  std::string ModelLengths::*shared;
  const char* shared_name;  // "encoding"
  const char* chosen_name;  // "pooling"
};

// "- With … the pooling makes a distinguishable difference …", and what follows from it.
std::string choice_text(const std::vector<AlikeModels>& groups, const Choice& choice,
                        const std::string& negatives) {
  std::size_t measured = 0, apart = 0;
  std::string sentences;
  for (const AlikeModels& all : groups) {
    const AlikeModels group = those_that_learned(all, negatives);
    if (group.models.size() < 2) continue;
    const LengthsCompared compared = compare_lengths(group.models, negatives);
    if (compared.lengths.empty()) continue;
    ++measured;
    apart += !compared.apart.empty();
    sentences += "  - " + alike_text(group, choice.shared_name, negatives, compared) + "\n";
  }
  const ModelGroup left_out = those_that_did_not(groups, negatives);
  if (!left_out.empty()) {
    sentences += fmt::format(
        "  - Not compared, because not above chance within the trained "
        "lengths: {}.\n",
        group_names(left_out));
  }
  if (measured == 0) {
    return fmt::format(
        "- With {} negatives there is nothing to compare beyond the trained "
        "lengths{}\n{}",
        markdown_code(negatives), left_out.empty() ? "." : ":", sentences);
  }
  return fmt::format(
      "- With {} negatives the {} makes {} distinguishable difference beyond the trained lengths "
      "in {}:\n{}",
      markdown_code(negatives), choice.chosen_name, apart == 0 ? "no" : "a",
      measured == 1 ? "the only comparison there is"
      : apart == 0  ? fmt::format("any of {}", counted(measured, "comparison"))
                    : n_of_m(apart, measured, "comparisons"),
      sentences);
}

std::string tell_choice(const Sources& sources, const Choice& choice) {
  std::vector<ModelLengths> models = read_model_lengths(sources, "lengths");
  read_what_models_are(sources, "models", models);
  const std::vector<AlikeModels> groups = alike_in(models, choice.shared);
  if (groups.empty())
    return fmt::format("No two of these models differ in their {} alone.\n", choice.chosen_name);
  std::string text;
  for (const std::string& negatives : negatives_in(models))
    text += choice_text(groups, choice, negatives);
  return text + kIntervalNote + kApartNote + "\n";
}

ModelLengths only_model(const Sources& sources, const char* role, const char* name) {
  sources.file(role);  // one
  ModelLengths model = read_model_lengths(sources, role).front();
  model.name = name;
  return model;
}

std::string same_when_trained(const ModelLengths& a, const ModelLengths& b,
                              const std::string& negatives) {
  const std::vector<LengthResult> ours = a.within(negatives), theirs = b.within(negatives);
  std::size_t compared = 0, equal = 0;
  for (const LengthResult& result : ours) {
    const LengthResult* same = at_length(theirs, result.length);
    if (!same) continue;
    ++compared;
    equal += same->accuracy.value == result.accuracy.value;
  }
  if (compared == 0) return "Within the trained lengths the two were not compared.";
  if (equal == compared) return "Within the trained lengths the two score the same.";
  return fmt::format("Within the trained lengths the two differ at {} of {}.",
                     count_text(compared - equal), counted(compared, "length"));
}

std::string against_untrained_text(const ModelLengths& clamped, const ModelLengths& untrained,
                                   const std::string& negatives) {
  const LengthsCompared compared = compare_lengths({&clamped, &untrained}, negatives);
  if (compared.lengths.empty()) return "";
  std::vector<std::string> above, below, tied;
  for (const std::size_t length : compared.lengths) {
    const std::vector<ScoredModel> scored = scored_at({&clamped, &untrained}, negatives, length);
    const bool is_above = scored.front().model == &clamped;
    const bool is_tied = !are_any_apart(scored, compared.comparisons);
    (is_tied ? tied : is_above ? above : below).push_back(count_text(length));
  }
  std::vector<std::string> parts;
  if (!above.empty()) parts.push_back("above untrained ones at " + enumerated(above));
  if (!below.empty()) parts.push_back("below untrained ones at " + enumerated(below));
  if (!tied.empty())
    parts.push_back((above.empty() && below.empty() ? "not distinguishable from untrained ones at "
                                                    : "not distinguishable from them at ") +
                    enumerated(tied));
  return fmt::format("  - Clamped positions are {}.\n", enumerated(parts));
}

}  // namespace

std::string tell_poolings(const Sources& sources) {
  return tell_choice(sources, {&ModelLengths::encoding, "encoding", "pooling"});
}

std::string tell_encodings(const Sources& sources) {
  return tell_choice(sources, {&ModelLengths::pooling, "pooling", "encoding"});
}

std::string tell_untrained_positions(const Sources& sources) {
  const ModelLengths clamped = only_model(sources, "clamped", "the model with clamped positions");
  const ModelLengths untrained =
      only_model(sources, "untrained", "the model with untrained positions");
  std::string text;
  for (const auto& [negatives, results] : clamped.kinds) {
    if (!untrained.has(negatives)) continue;
    text += fmt::format("- With {} negatives:\n  - {}\n", markdown_code(negatives),
                        same_when_trained(clamped, untrained, negatives));
    for (const ModelLengths* model : {&clamped, &untrained}) {
      for (const std::string& sentence : longer_lengths_text({model}, negatives))
        text += fmt::format("  - {}\n", sentence);
    }
    text += against_untrained_text(clamped, untrained, negatives);
  }
  if (text.empty()) return "The two were not tested on the same.\n";
  return text + kIntervalNote + kChanceNote + kApartNote + "\n";
}

}  // namespace headway
