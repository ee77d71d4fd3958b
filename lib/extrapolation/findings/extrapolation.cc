#include "lib/extrapolation/findings/extrapolation.h"

#include <fmt/format.h>

#include <optional>

#include "lib/base/text.h"
#include "lib/extrapolation/findings/reach_sentences.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

// What stays of those that pass with one kind, when the other is asked.
std::string outlasting_text(const std::vector<ModelLengths>& models, const std::string& easy,
                            const std::string& hard) {
  ModelGroup both;
  for (const ModelLengths* model : models_with(models, easy)) {
    if (!model->beyond(easy).empty() && !model->beyond(hard).empty()) both.push_back(model);
  }
  if (both.empty()) {
    return fmt::format("No model was tested beyond the trained lengths with both {} and {}.",
                       markdown_code(easy), markdown_code(hard));
  }
  const ModelGroup passed = grouped_by_reach(both, easy).nearly_all;
  const ByReach then = grouped_by_reach(passed, hard);
  if (passed.empty()) {
    const std::size_t others = grouped_by_reach(both, hard).nearly_all.size();
    return fmt::format("No model is at 99 % or more at every length beyond with {}; {} with {}.",
                       markdown_code(easy),
                       others == 0
                           ? "nor is one"
                           : fmt::format("{} {}", count_text(others), others == 1 ? "is" : "are"),
                       markdown_code(hard));
  }
  if (then.never.size() == passed.size()) {
    return fmt::format(
        "{} {} at 99 % or more at every length beyond with {}, and above chance at "
        "none of them with {}.",
        group_names(passed), group_verb(passed, "is", "are"), markdown_code(easy),
        markdown_code(hard));
  }
  std::string text = fmt::format(
      "Of the {} at 99 % or more at every length beyond with {}, {} {} so with {} too{}",
      counted(passed.size(), "model"), markdown_code(easy),
      then.nearly_all.empty() ? "none" : count_text(then.nearly_all.size()),
      then.nearly_all.size() > 1 ? "are" : "is", markdown_code(hard),
      then.nearly_all.empty() ? "" : fmt::format(" ({})", group_names(then.nearly_all)));
  if (!then.never.empty()) {
    text += fmt::format("; {} {} not above chance there at any length ({})",
                        count_text(then.never.size()), then.never.size() == 1 ? "is" : "are",
                        group_names(then.never));
  }
  return text + ".";
}

// Against the best of the others, at the longest length that both were tested at.
std::string against_others_text(const ModelLengths& cure, const std::vector<ModelLengths>& others,
                                const std::string& negatives) {
  const std::vector<LengthResult> tested = cure.beyond(negatives);
  for (auto result = tested.rbegin(); result != tested.rend(); ++result) {
    std::optional<ScoredModel> best;
    for (const ModelLengths& other : others) {
      const std::vector<LengthResult> theirs = other.beyond(negatives);
      const LengthResult* same = at_length(theirs, result->length);
      if (same && (!best || same->accuracy.value > best->accuracy.value))
        best = ScoredModel{&other, same->accuracy};
    }
    if (!best) continue;
    const char* relation = !are_apart(result->accuracy, best->accuracy, others.size())
                               ? "not distinguishable from"
                           : result->accuracy.value > best->accuracy.value ? "above"
                                                                           : "below";
    return fmt::format(" At {} it is at {}, {} the best of {}, {}.", count_text(result->length),
                       share_text(result->accuracy), relation,
                       counted(others.size(), "other model"), scored_model_text(*best));
  }
  return "";
}

}  // namespace

std::string tell_extrapolation(const Sources& sources) {
  const std::vector<ModelLengths> models = read_model_lengths(sources, "lengths");
  const std::vector<std::string> kinds = negatives_in(models);
  std::string text;
  for (const std::string& negatives : kinds) {
    const ModelGroup tested = models_with(models, negatives);
    text += fmt::format("- With {} negatives:\n", markdown_code(negatives));
    text += fmt::format("  - {}\n", trained_lengths_text(tested, negatives));
    for (const std::string& sentence : longer_lengths_text(tested, negatives))
      text += fmt::format("  - {}\n", sentence);
  }
  std::vector<std::string> compared;
  for (std::size_t i = 1; i < kinds.size(); ++i)
    compared.push_back(outlasting_text(models, kinds[0], kinds[i]));
  if (kinds.size() == 1) {
    compared.push_back(fmt::format(
        "Only {} negatives were tested; what these models do with other kinds is not known.",
        markdown_code(kinds[0])));
  }
  return text + bullets(compared) + kIntervalNote + kChanceNote + "\n";
}

std::string tell_cures(const Sources& sources) {
  const std::vector<ModelLengths> cures = read_model_lengths(sources, "cures");
  std::vector<ModelLengths> others;
  if (sources.has("baseline")) others = read_model_lengths(sources, "baseline");
  std::string text;
  for (ModelLengths cure : cures) {
    text += fmt::format("- {}:\n", cure.name);
    cure.name = "it";
    for (const auto& [negatives, results] : cure.kinds) {
      const std::vector<std::string> beyond = longer_lengths_text({&cure}, negatives);
      text += fmt::format("  - With {} negatives. {} {}{}\n", markdown_code(negatives),
                          trained_lengths_text({&cure}, negatives), join(beyond, " "),
                          against_others_text(cure, others, negatives));
    }
  }
  return text + kIntervalNote + kChanceNote + (others.empty() ? "" : kApartNote) + "\n";
}

}  // namespace headway
