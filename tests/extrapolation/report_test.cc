// Sentences and tables of the study's report (pipelines/reports/extrapolation.md) for results that
// differ from today's: no statement may be wrong for other numbers.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "lib/base/error.h"
#include "tests/extrapolation/length_tables.h"
#include "tests/support/study_report.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

struct TestedModel {
  std::string name, encoding, pooling;
  std::vector<LengthRow> rows;
};

// The study's inputs with these models instead of its own. Those with alibi are the cures, the
// others the matrix of encodings and poolings; without others, all of them are.
StudyInputs inputs_with(const std::vector<TestedModel>& models) {
  StudyInputs inputs = study_inputs("extrapolation");
  for (const char* name : {"lengths", "models", "matrix-models", "cures", "failures"})
    inputs[name].clear();
  for (const TestedModel& model : models) {
    const bool is_cure = model.encoding == "alibi";
    const SourceFile table = lengths_of_model(model.name, model.rows);
    const SourceFile metrics = metrics_of_model(model.name, model.encoding, model.pooling);
    inputs["lengths"].push_back(table);
    inputs["models"].push_back(metrics);
    inputs["failures"].push_back(failures_of_model(model.name, ""));
    if (is_cure) inputs["cures"].push_back(table);
    if (!is_cure) inputs["matrix-models"].push_back(metrics);
  }
  if (inputs["matrix-models"].empty()) inputs["matrix-models"] = inputs["models"];
  return inputs;
}

// The text under a heading, up to the next one of any level.
std::string section_of(const StudyInputs& inputs, const std::string& heading) {
  const std::string page = study_report("extrapolation", inputs).markdown;
  const std::size_t begin = page.find("# " + heading + "\n");
  if (begin == std::string::npos) throw Error("no section '" + heading + "'");
  return page.substr(begin, page.find("\n#", begin) - begin);
}

std::string findings_of(const std::vector<TestedModel>& models) {
  return section_of(inputs_with(models), "Findings");
}

const TestedModel kCure = {"cure", "alibi", "max", even_model(1, 1, 0.5)};

// ---- Findings

TEST_CASE("models are listed by how far they extrapolate beyond the trained lengths", "[report]") {
  const std::string text = findings_of({{"a", "sinusoidal", "mean", even_model(0.98, 1, 0.5)},
                                        {"b", "sinusoidal", "multi", even_model(0.97, 0.8, 0.5)},
                                        {"c", "none", "mean", even_model(0.5, 0.5, 0.5)},
                                        kCure});
  CHECK_THAT(text,
             ContainsSubstring("3 of 4 trained models are above chance. Not above chance: `c` "
                               "with 50 % (45.6–54.4)."));
  CHECK_THAT(text,
             ContainsSubstring("At 99 % or more at every longer length: `a`, lowest at 32 with "
                               "100 % (99.24–100); `cure`, lowest at 32"));
  CHECK_THAT(text,
             ContainsSubstring("Above chance at every longer length: `b`, lowest at 32 with 80 "
                               "% (76.3–83.3)."));
  CHECK_THAT(text, ContainsSubstring("Above chance at no longer length: `c`.\n"));
  CHECK_THAT(text,
             ContainsSubstring("- `a` is at 99 % or more at every longer length with `swaps` "
                               "negatives, but with `adjacent` negatives above chance at none."));
}

TEST_CASE("if no model learned, none is said to have", "[report]") {
  const StudyInputs inputs = inputs_with({{"a", "sinusoidal", "mean", even_model(0.5, 0.5, 0.5)},
                                          {"b", "sinusoidal", "multi", even_model(0.5, 0.5, 0.5)},
                                          {"c", "alibi", "max", even_model(0.5, 0.5, 0.5)}});
  const std::string text = section_of(inputs, "Findings");
  CHECK_THAT(text, ContainsSubstring("0 of 3 trained models are above chance."));
  CHECK_THAT(text, ContainsSubstring("Above chance at no longer length: `a`, `b` and `c`."));
  CHECK_THAT(text, !ContainsSubstring("At 99 %"));
  CHECK_THAT(text, !ContainsSubstring("every longer length"));
  CHECK_THAT(section_of(inputs, "What the pooling does, and what the encoding does"),
             ContainsSubstring("No two models that learned differ in their pooling alone."));
}

TEST_CASE("a single model is not compared", "[report]") {
  const StudyInputs inputs = inputs_with({kCure});
  CHECK_THAT(section_of(inputs, "Findings"),
             ContainsSubstring("1 of 1 trained model is above chance."));
  const std::string comparison =
      section_of(inputs, "What the pooling does, and what the encoding does");
  CHECK_THAT(comparison, ContainsSubstring("No two models that learned differ in their pooling"));
  CHECK_THAT(comparison, ContainsSubstring("No two models that learned differ in their encoding"));
}

TEST_CASE("even all of very few sequences may be chance", "[report]") {
  const std::string text = findings_of({{"a", "alibi", "max", {{32, "swaps", 2, 1}}}});
  CHECK_THAT(text, ContainsSubstring("Above chance at no longer length: `a`."));
  CHECK_THAT(text, !ContainsSubstring("Within the trained lengths"));
}

TEST_CASE("above chance is judged with a simultaneous interval for all measured accuracies",
          "[report]") {
  // 278 of 500: the 95 % interval excludes 50 %; one that is widened for ten accuracies does not.
  const auto with_lengths = [](std::size_t lengths, double accuracy) {
    std::vector<LengthRow> rows;
    for (std::size_t i = 0; i < lengths; ++i) rows.push_back({32 + i, "swaps", 500, accuracy});
    return findings_of({{"a", "alibi", "max", rows}});
  };
  CHECK_THAT(with_lengths(1, 0.556), ContainsSubstring("Above chance at every longer length: `a`"));
  CHECK_THAT(with_lengths(10, 0.556), ContainsSubstring("Above chance at no longer length: `a`."));
  CHECK_THAT(with_lengths(10, 0.6), ContainsSubstring("Above chance at every longer length: `a`"));
  CHECK_THAT(with_lengths(1, 0.2), ContainsSubstring("Above chance at no longer length: `a`."));
}

TEST_CASE("lengths at which a model is above chance again are named", "[report]") {
  const std::string text = findings_of({{"a",
                                         "alibi",
                                         "max",
                                         {{32, "swaps", 500, 0.5},
                                          {64, "swaps", 500, 0.6},
                                          {128, "swaps", 500, 0.5},
                                          {256, "swaps", 500, 0.7}}}});
  CHECK_THAT(text, ContainsSubstring("Above chance at some longer lengths: `a` at 64 and 256."));
}

TEST_CASE("the hard test is compared with the easy one only if both were run", "[report]") {
  CHECK_THAT(findings_of({{"a", "alibi", "max", {{16, "swaps", 500, 1}, {32, "swaps", 500, 1}}}}),
             !ContainsSubstring("with `adjacent`"));
  CHECK_THAT(findings_of({{"a", "alibi", "max", even_model(1, 1, 1)}}),
             ContainsSubstring("with `swaps` negatives, and with `adjacent` negatives too.\n"));
  CHECK_THAT(findings_of({{"a", "alibi", "max", even_model(1, 1, 0.8)}}),
             ContainsSubstring("with `swaps` negatives, but not with `adjacent` negatives.\n"));
}

TEST_CASE("tests within the trained lengths give no statement about longer ones", "[report]") {
  const StudyInputs inputs = inputs_with({{"a", "sinusoidal", "mean", {{8, "swaps", 500, 1}}},
                                          {"b", "alibi", "max", {{8, "swaps", 500, 1}}}});
  CHECK_THAT(section_of(inputs, "Findings"), !ContainsSubstring("longer length"));
  CHECK_THAT(section_of(inputs, "Accuracy against length"),
             ContainsSubstring("| `a` | 100 % (99.24–100) | – | – |"));
  CHECK_THAT(section_of(inputs, "The harder test: one pair of neighbours swapped"),
             !ContainsSubstring("first violation within"));
}

TEST_CASE("a model's name cannot break a table", "[report]") {
  const std::string text = section_of(inputs_with({{"a|b", "alibi", "max", even_model(1, 1, 1)}}),
                                      "Accuracy against length");
  CHECK_THAT(text, !ContainsSubstring("| `a|b` |"));
}

TEST_CASE("every length is shown with its interval and its number of sequences", "[report]") {
  const std::string text = section_of(inputs_with({{"a",
                                                    "alibi",
                                                    "max",
                                                    {{16, "swaps", 500, 1},
                                                     {32, "swaps", 500, 0.996},
                                                     {64, "swaps", 500, 0.8},
                                                     {1024, "swaps", 128, 0.5}}}}),
                                      "Accuracy against length");
  CHECK_THAT(text, ContainsSubstring("| model | 16 | 32 | 64 | 1,024 | 99 % or more up to | above "
                                     "chance up to |"));
  CHECK_THAT(text, ContainsSubstring("| *sequences* | 500 | 500 | 500 | 128 |"));
  CHECK_THAT(text, ContainsSubstring("| 50 % (41.5–58.5) | 32 | 64 |"));
}

// ---- Trainings

SourceFile training_log(const std::string& name, const std::string& rows) {
  return {name, name + ".log", "log.csv", "epoch,train_loss,val_loss,accuracy\n" + rows};
}

StudyInputs inputs_with_logs(std::vector<SourceFile> logs) {
  StudyInputs inputs = study_inputs("extrapolation");
  inputs["logs"] = std::move(logs);
  inputs["timings"] = {{"good", "good.timing", "timing.csv", "epoch,seconds\n1,2\n2,3\n"},
                       {"other", "other.timing", "timing.csv", "epoch,seconds\n1,2\n"}};
  inputs["datasets"] = {{"data", "data.metrics", "metrics.json", "{\"val\": 2000}"},
                        {"more", "more.metrics", "metrics.json", "{\"val\": 4000}"}};
  return inputs;
}

const std::string kTrainings = "Did they learn at all?";

TEST_CASE("a training whose validation is at chance is named", "[report]") {
  const std::string text = section_of(
      inputs_with_logs({training_log("good", "1,0.7,0.5,0.8\n2,0.2,0.12,0.97\n3,0.1,0.1,0.97\n"),
                        training_log("flat", "1,0.7,0.7,0.51\n2,0.7,0.7,0.5\n")}),
      kTrainings);
  CHECK_THAT(text, ContainsSubstring("1 of 2 trainings learned"));
  CHECK_THAT(text, ContainsSubstring("2,000 validation sequences"));
  CHECK_THAT(text, ContainsSubstring("Not above chance: `flat`."));
  CHECK_THAT(text, ContainsSubstring("| 0.1 | 3 | 3 | 5 |"));  // of equal epochs, the lower loss
  CHECK_THAT(text, ContainsSubstring("| 0.7 | 1 | 2 |"));
}

TEST_CASE("the best of many epochs must be further from chance than a single one", "[report]") {
  std::string rows;
  for (int epoch = 1; epoch <= 20; ++epoch) rows += std::to_string(epoch) + ",1,1,0.5\n";
  const auto text_with = [](const std::string& log) {
    return section_of(inputs_with_logs({training_log("good", log)}), kTrainings);
  };
  CHECK_THAT(text_with("1,1,1,0.525\n"), ContainsSubstring("1 of 1 training learned"));
  CHECK_THAT(text_with(rows + "21,1,1,0.525\n"), ContainsSubstring("0 of 1 training learned"));
}

// ---- Pooling and encoding

const std::string kComparison = "What the pooling does, and what the encoding does";

std::vector<LengthRow> two_lengths(double at_64) {
  return {{16, "swaps", 500, 0.9}, {32, "swaps", 500, 1}, {64, "swaps", 500, at_64}};
}

std::string comparison_of(double first, double second) {
  return section_of(inputs_with({{"a", "none", "mean", two_lengths(first)},
                                 {"b", "none", "max", two_lengths(second)},
                                 kCure}),
                    kComparison);
}

TEST_CASE("a difference is judged with a simultaneous interval for all lengths of its row",
          "[report]") {
  CHECK_THAT(comparison_of(1, 0.984), ContainsSubstring("| `swaps` | `none` | `mean` 100 %"));
  CHECK_THAT(comparison_of(1, 0.984), ContainsSubstring("| 64 |"));
  CHECK_THAT(comparison_of(1, 0.99), ContainsSubstring("| no length |"));
}

TEST_CASE("equal models do not differ", "[report]") {
  const std::string text = comparison_of(1, 1);
  CHECK_THAT(text, ContainsSubstring("| 0 ("));
  CHECK_THAT(text, ContainsSubstring("| no length |"));
}

TEST_CASE("a model that did not learn is left out of comparisons and named", "[report]") {
  const std::string text =
      section_of(inputs_with({{"s-mean", "sinusoidal", "mean", even_model(1, 0.5, 0.5)},
                              {"s-multi", "sinusoidal", "multi", even_model(1, 1, 0.5)},
                              {"n-multi", "none", "multi", even_model(0.5, 0.5, 0.5)},
                              kCure}),
                 kComparison);
  CHECK_THAT(text, ContainsSubstring("| `swaps` | `sinusoidal` | `multi` 100 % (99.62–100); `mean` "
                                     "50 % ("));
  CHECK_THAT(text, ContainsSubstring("| 32 and 256 |"));
  CHECK_THAT(text, ContainsSubstring("No two models that learned differ in their encoding alone."));
  CHECK_THAT(text, ContainsSubstring("- With `swaps` negatives, `n-multi` is left out"));
  CHECK_THAT(text,
             ContainsSubstring("- With `adjacent` negatives, `s-mean`, `s-multi` and `n-multi` "
                               "are left out"));
}

// ---- Errors

TEST_CASE("the position of the first violation comes from the tables", "[report]") {
  const StudyInputs inputs = inputs_with(
      {{"a",
        "alibi",
        "max",
        {{32, "swaps", 500, 1, 0, 0, 250, 0}, {32, "adjacent", 500, 0.5, 1, 0, 100, 150}}}});
  const std::string text = section_of(inputs, "The harder test: one pair of neighbours swapped");
  CHECK_THAT(text, ContainsSubstring("With `swaps` negatives, 250 of 250 unsorted sequences"));
  CHECK_THAT(text, ContainsSubstring("With `adjacent` negatives, 100 of 250 unsorted sequences "
                                     "beyond the trained lengths (40 %)"));
  const std::string errors = section_of(inputs, "Which errors are made");
  CHECK_THAT(errors,
             ContainsSubstring("| `a` | `swaps` | 0 % (0–1.51) | none there | 0 % (0–1.51) |"));
  CHECK_THAT(errors,
             ContainsSubstring("| `a` | `adjacent` | 100 % (96.3–100) | 100 % (97.5–100) | 0 "
                               "% (0–1.51) |"));
  CHECK_THAT(errors,
             ContainsSubstring("With `adjacent` negatives, these call almost every sequence "
                               "sorted: `a` at every longer length."));
  CHECK_THAT(errors, !ContainsSubstring("call almost every sequence unsorted"));
}

TEST_CASE("a model that always gives the same answer at some lengths is named with them",
          "[report]") {
  const std::string text = section_of(inputs_with({{"a",
                                                    "alibi",
                                                    "max",
                                                    {{32, "swaps", 500, 0.8, 0.2, 0.2, 250, 0},
                                                     {64, "swaps", 500, 0.5, 0, 1, 250, 0},
                                                     {128, "swaps", 20, 0.5, 0, 1, 10, 0}}}}),
                                      "Which errors are made");
  // Ten sequences of each kind are too few to say it of 128.
  CHECK_THAT(text, ContainsSubstring("almost every sequence unsorted: `a` at 64."));
}

// ---- Sure and wrong

TEST_CASE("each model's most confident wrong answer is shown", "[report]") {
  StudyInputs inputs = inputs_with({{"a", "sinusoidal", "mean", even_model(1, 1, 1)}, kCure});
  inputs["failures"] = {failures_of_model("a",
                                          "8,swaps,1,unsorted,sorted,0.95,0,31 17 32 …\n"
                                          "32,adjacent,2,unsorted,sorted,0.91,14,… 3 5 4 6 …\n"
                                          "32,adjacent,3,unsorted,sorted,0.999,15,… 3 5 4 6 …\n"
                                          "32,swaps,4,sorted,unsorted,1,,\n"),
                        failures_of_model("cure", "")};
  const std::string text = section_of(inputs, "Sure and wrong");
  CHECK_THAT(text, ContainsSubstring("1 of 2 models gave a wrong answer"));
  CHECK_THAT(text,
             ContainsSubstring("| `a` | `adjacent` | 32 | sorted, though unsorted | 99.9 % | 15 "
                               "| `… 3 5 4 6 …` |"));
  CHECK_THAT(text,
             ContainsSubstring("| `a` | `swaps` | 32 | unsorted, though sorted | over 99.9999 % "
                               "|  |  |"));
  CHECK_THAT(text, !ContainsSubstring("31 17"));  // within the trained lengths
}

TEST_CASE("without a confident wrong answer there is no table of them", "[report]") {
  const std::string text = section_of(inputs_with({kCure}), "Sure and wrong");
  CHECK_THAT(text, ContainsSubstring("0 of 1 model gave a wrong answer"));
  CHECK_THAT(text, !ContainsSubstring("|"));
}

// ---- Positions

const std::string kPositions = "Positions: the mathematics beside its measurement";
const std::string kRegular =
    "distance error,,3e-9,4e-9\nlength,,8,8\nstep,1,1.9,1.9\nrotation of pairs,1,2e-8,3e-8\n"
    "any rotation,1,7e-8,1e-7\nrotation of pairs,4,2e-8,9e-8\nany rotation,4,7e-8,1e-7\n";
const std::string kClamped =
    "distance error,,0.33,5e-16\nlength,,8,8\nstep,1,11,0\nrotation of pairs,1,1.3,1.4\n"
    "any rotation,1,0.27,1e-7\n";

SourceFile positions_of(const std::string& name, const std::string& rows) {
  return {name, name + ".table", "positions.csv", "measure,shift,inside,beyond\n" + rows};
}

StudyInputs inputs_with_positions(const std::vector<TestedModel>& models) {
  StudyInputs inputs = inputs_with(models);
  inputs["position-tables"] = {positions_of("sinusoidal", kRegular),
                               positions_of("learned", kClamped),
                               positions_of("none", "distance error,,0,0\n"),
                               positions_of("alibi", "distance error,,1e-16,0.2\n")};
  return inputs;
}

TEST_CASE("unmeasured properties of positions are reported as not measured", "[report]") {
  const std::string text = section_of(inputs_with_positions({kCure}), kPositions);
  CHECK_THAT(text,
             ContainsSubstring("| `sinusoidal` | 3e-09 | 4e-09 | 2e-08 | 9e-08 | 1.9 | 1.9 |"));
  CHECK_THAT(text, ContainsSubstring("| `none` | 0 | 0 | not measured | not measured |"));
  CHECK_THAT(text, ContainsSubstring("have the same vector in `learned`:"));
  CHECK_THAT(text, ContainsSubstring("- Regular: `sinusoidal`.\n"));
}

std::string regularity_with(double regular, double other) {
  return section_of(inputs_with_positions({{"s", "sinusoidal", "mean", even_model(1, regular, 0.5)},
                                           {"n", "none", "mean", even_model(1, other, 0.5)},
                                           kCure}),
                    kPositions);
}

TEST_CASE("regular positions are called insufficient or unnecessary only by a counterexample",
          "[report]") {
  CHECK_THAT(
      regularity_with(0.5, 0.5),
      ContainsSubstring("With `swaps` negatives regular positions are not enough: `s` is not "
                        "above chance at 256, with 50 % (45.6–54.4)."));
  CHECK_THAT(regularity_with(1, 1), !ContainsSubstring("not enough:"));
  CHECK_THAT(regularity_with(1, 1),
             ContainsSubstring("not needed: without them `n` and `cure` are at 99 % or more"));
}

TEST_CASE("a model slightly below 99 % at the longest length is not a counterexample", "[report]") {
  const std::string text =
      section_of(inputs_with_positions(
                     {{"s",
                       "sinusoidal",
                       "mean",
                       {{16, "swaps", 500, 1}, {32, "swaps", 500, 1}, {256, "swaps", 500, 0.97}}},
                      {"n", "none", "mean", even_model(0.5, 1, 0.5)},
                      {"c", "alibi", "max", even_model(0.9, 0.5, 0.5)}}),
                 kPositions);
  CHECK_THAT(text, ContainsSubstring("With `swaps` negatives no model shows that regular positions "
                                     "are not enough or not needed."));
}

TEST_CASE("the absence of a regular encoding is reported", "[report]") {
  StudyInputs inputs = inputs_with({kCure});
  inputs["position-tables"] = {positions_of("learned", kClamped),
                               positions_of("none", "distance error,,0,0\n")};
  CHECK_THAT(section_of(inputs, kPositions), ContainsSubstring("- No encoding is regular."));
}

// ---- Clamped and untrained positions; cures

TEST_CASE("clamped and untrained positions are compared at each longer length", "[report]") {
  StudyInputs inputs = inputs_with({kCure});
  inputs["clamped"] = {lengths_of_model("", {{16, "swaps", 500, 0.9}, {32, "swaps", 500, 0.8}})};
  inputs["untrained"] = {lengths_of_model("", {{16, "swaps", 500, 0.9}, {32, "swaps", 500, 0.5}})};
  const std::string heading = "Learned positions past the last trained one";
  CHECK_THAT(
      section_of(inputs, heading),
      ContainsSubstring("| `swaps` | 32 | 80 % (76.3–83.3) | 50 % (45.6–54.4) | 30 (24.3 to "));
  CHECK_THAT(section_of(inputs, heading), !ContainsSubstring("| `swaps` | 16 |"));
}

TEST_CASE("a cure is compared with the best other model at its longest length", "[report]") {
  const std::string text = section_of(inputs_with({{"a", "none", "mean", even_model(1, 0.5, 0.52)},
                                                   {"b", "none", "multi", even_model(1, 0.6, 0.5)},
                                                   kCure}),
                                      "Two models made to extrapolate");
  CHECK_THAT(text, ContainsSubstring("| `cure` | `swaps` | 256 | 100 % (99.24–100) | `b` 60 % "
                                     "(55.6–64.2) | 40 ("));
  CHECK_THAT(text, ContainsSubstring("| `cure` | `adjacent` | 256 | 50 % (45.6–54.4) | `a` 52 % "));
}

// ---- Wrong artifacts

TEST_CASE("a table that is not a table of lengths is refused with its name", "[report]") {
  StudyInputs inputs = inputs_with({kCure});
  inputs["lengths"] = {{"a", "lengths@a.table", "lengths.csv", "length,negatives\n8,swaps\n"}};
  CHECK_THROWS_WITH(study_report("extrapolation", inputs), ContainsSubstring("lengths"));
}

}  // namespace
}  // namespace headway::testing
