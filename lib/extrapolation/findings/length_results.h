// What tables of lengths (stage type extrapolate) say of each model, read once, and the judgements
// that sentences about them share: above chance or not, up to which length, apart or not. Writes no
// sentences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/numerics/intervals.h"
#include "lib/report/sources.h"

namespace headway {

// A share with its 95 % interval; NaN where it was not measured.
struct MeasuredShare {
  double value = 0;
  double low = 0;
  double high = 0;
  std::int64_t count = 0;  // what it is a share of
};

struct LengthResult {
  std::size_t length = 0;
  std::int64_t count = 0;  // of sequences
  MeasuredShare accuracy;
  MeasuredShare false_positives;  // unsorted ones called sorted, of the unsorted
  MeasuredShare false_negatives;  // sorted ones called unsorted, of the sorted
  // Unsorted ones with their first violation within the trained positions, and beyond; the share
  // missed of each. NaN where not known.
  double early = 0, missed_early = 0;
  double late = 0, missed_late = 0;
  double loss = 0;  // NaN where not known
};

struct ModelLengths {
  std::string name;  // as it stands in Markdown
  // Another before it that is the same training, tested otherwise: every answer within the trained
  // lengths is the same. Empty where there is none.
  std::string same_as;
  std::size_t trained_from = 0, trained_to = 0;
  std::string encoding, pooling;  // empty where no metrics told
  // By kind of unsorted sequences, in the order of the table; lengths ascend.
  std::vector<std::pair<std::string, std::vector<LengthResult>>> kinds;

  // Of the lengths in the trained range; of those above it. Empty where there are none.
  std::vector<LengthResult> within(std::string_view negatives) const;
  std::vector<LengthResult> beyond(std::string_view negatives) const;
  bool has(std::string_view negatives) const;
  // Within the trained lengths, all together; also where none of these was tested. What did not
  // learn cannot be asked to extrapolate.
  bool has_learned(std::string_view negatives) const;
};

// An Error names the artifact, and what is wrong with it.
std::vector<ModelLengths> read_model_lengths(const Sources& sources, std::string_view role);
// Encoding and pooling, from metrics of members with the same names.
void read_what_models_are(const Sources& sources, std::string_view role,
                          std::vector<ModelLengths>& models);

std::vector<std::string> negatives_in(const std::vector<ModelLengths>& models);
std::string model_label(std::string_view item);  // in Markdown; "the model" where it has no name

enum class Standing { kAbove, kAtChance, kBelow };
// How many accuracies a report may look at: ten models at ten lengths. Whether one of them is at
// chance must not depend on which others a sentence is about, so it is always as many.
constexpr std::size_t kAccuraciesTogether = 100;
// At chance: an interval that holds for all of these together (Bonferroni) includes 50 %.
Standing standing_of(const MeasuredShare& accuracy);

constexpr double kNearlyAll = 0.99;

// How a model fares beyond the trained range: up to which length it is, without a gap, at
// kNearlyAll or more, and above chance.
struct Reach {
  std::vector<LengthResult> tested;
  std::optional<std::size_t> nearly_all;
  std::optional<std::size_t> above_chance;

  bool is_nearly_all() const { return !tested.empty() && nearly_all == tested.back().length; }
  bool is_above_chance() const { return !tested.empty() && above_chance == tested.back().length; }
  bool is_never_above_chance() const;
};
Reach reach_of(const ModelLengths& model, std::string_view negatives);

// The worst of them; of several, the one whose interval reaches lowest.
const LengthResult& lowest_of(const std::vector<LengthResult>& results);
const LengthResult* at_length(const std::vector<LengthResult>& results, std::size_t length);

// NaN where nothing was counted.
MeasuredShare share_of_count(std::int64_t right, std::int64_t count,
                             double deviations = kDeviations95);
MeasuredShare pooled_accuracy(const std::vector<LengthResult>& results);
// The difference is more than chance, as one of so many comparisons; of independent samples.
bool are_apart(const MeasuredShare& a, const MeasuredShare& b, std::size_t comparisons);

// In a sentence: "50 % (45.6 to 54.4 %)", so short because there are many of them. What is told
// with it ends in a note on intervals, and on the words that the text uses.
std::string share_text(const MeasuredShare& share);
constexpr const char* kIntervalNote = "\nIn parentheses: 95 % intervals.";
static_assert(kAccuraciesTogether == 100);  // which the note says
constexpr const char* kChanceNote =
    " Above or below chance: the 99.95 % interval excludes 50 %, so that a hundred accuracies can "
    "be looked at together; at chance: it does not.";
constexpr const char* kApartNote =
    " Distinguishable: the interval of the difference excludes 0, widened for all the comparisons "
    "of a sentence; both accuracies are taken as of independent sequences.";
std::string share_cell(const MeasuredShare& share);  // in a table, in percent: "50 (45.6–54.4)"
std::string lengths_text(const std::vector<LengthResult>& results);  // "32", "24 to 1,024"

}  // namespace headway
