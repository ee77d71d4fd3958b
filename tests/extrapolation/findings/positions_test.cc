#include "lib/extrapolation/findings/positions.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/extrapolation/findings/length_tables.h"

namespace headway {
namespace {

bool position_told(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

SourceFile position_measures_of(const std::string& name, const std::string& rows) {
  return {name, name + ".table", "positions.csv", "measure,shift,inside,beyond\n" + rows};
}

SourceFile position_arrays_of(const std::string& name, const std::string& encoding,
                              std::vector<float> gram) {
  TensorFile file;
  file.arrays["gram"] = Array::of({2, 2}, gram);
  file.metadata = {{"encoding", encoding}, {"trained", "1"}};
  return {name, name + ".positions", "positions.safetensors", to_safetensors(file)};
}

const std::string kRegularPositions =
    "distance error,,3e-9,4e-9\nlength,,8,8\nstep,1,1.9,1.9\nrotation of pairs,1,2e-8,3e-8\n"
    "any rotation,1,7e-8,1e-7\nrotation of pairs,4,2e-8,9e-8\nany rotation,4,7e-8,1e-7\n";
const std::string kClampedPositions =
    "distance error,,0.33,5e-16\nlength,,8,8\nstep,1,11,0\nrotation of pairs,1,1.3,1.4\n"
    "any rotation,1,0.27,1e-7\n";

Sources two_encodings() {
  Sources sources;
  sources.add("tables", {position_measures_of("sinusoidal", kRegularPositions),
                         position_measures_of("learned", kClampedPositions),
                         position_measures_of("none", "distance error,,0,0\n")});
  sources.add("arrays", {position_arrays_of("sinusoidal", "sinusoidal", {1, 0.5, 0.5, 1}),
                         position_arrays_of("learned", "learned", {1, 0.5, 0.5, 1}),
                         position_arrays_of("none", "none", {1, 1, 1, 1})});
  return sources;
}

TEST_CASE("which property holds, and how well, is told for each encoding") {
  const std::string text = tell_position_properties(two_encodings());
  CHECK(position_told(text,
                      "- `sinusoidal`: that $P_t \\cdot P_s$ depends on $t - s$ alone holds to "
                      "numerical precision inside (error 3e-09) and beyond (4e-09)."));
  CHECK(position_told(text,
                      "takes every $P_t$ to $P_{t+k}$ holds to numerical precision inside "
                      "(error 2e-08) and beyond (9e-08); these are the largest errors of $k$ "
                      "= 1 and 4."));
  CHECK(position_told(text,
                      "does not hold inside (error 0.33) but holds to numerical precision "
                      "beyond (5e-16)."));
  CHECK(position_told(text,
                      "holds neither inside (error 1.3) nor beyond (1.4) for $k$ = 1. The "
                      "best of all rotations leaves 0.27 inside and 1e-07 beyond. Beyond, "
                      "all positions have the same vector"));
  CHECK(position_told(text,
                      "`none` adds no vectors and puts the same factor on every attention "
                      "weight"));
  CHECK(position_told(text, "Measured on 2 positions (1 trained)."));
}

TEST_CASE("a property that holds about, or was not measured, is called that") {
  Sources sources;
  sources.add("tables", {position_measures_of("a", "distance error,,0.04,\nlength,,8,\n"),
                         position_measures_of("bias", "distance error,,1e-16,0.2\n")});
  const std::string text = tell_position_properties(sources);
  CHECK(position_told(text, "holds about inside (error 0.04) but is not known beyond."));
  CHECK(position_told(text,
                      "`bias` adds no vectors; that the factor it puts on attention weights "
                      "depends on $t - s$ alone holds to numerical precision inside (error "
                      "1e-16) but does not hold beyond (0.2)."));
}

Sources positions_with_models(double regular, double other) {
  Sources sources = two_encodings();
  sources.add("lengths", {lengths_of_model("s", even_model(1, regular, 0.5)),
                          lengths_of_model("n", even_model(1, other, 0.5))});
  sources.add("models",
              {metrics_of_model("s", "sinusoidal", "mean"), metrics_of_model("n", "none", "mean")});
  return sources;
}

TEST_CASE("regular positions are called not enough, or not needed, only by a counter-example") {
  const std::string opposite = tell_regularity(positions_with_models(0.5, 1));
  CHECK(position_told(opposite, "to numerical precision: `sinusoidal`."));
  CHECK(position_told(opposite,
                      "With such positions: `s` at none.\n  - Without: `n` up to 256 (the "
                      "longest).\n  - So such positions alone are not enough: `s` is not above "
                      "chance at the longest.\n  - And they are not needed: `n` does without."));
  const std::string together = tell_regularity(positions_with_models(1, 0.5));
  CHECK(position_told(together,
                      "With `swaps` negatives, up to which length beyond the trained ones models "
                      "are at 99 % or more:\n  - With such positions: `s` up to 256 (the "
                      "longest).\n  - Without: `n` at none.\n- "));
  CHECK(position_told(tell_regularity(positions_with_models(1, 1)),
                      "So such positions are not needed: `n` does without."));
  // Both were at chance within the trained lengths too.
  CHECK(position_told(opposite,
                      "With `adjacent` negatives no model with such positions is above chance "
                      "within the trained lengths."));
}

TEST_CASE("a model that falls a little below 99 % at the longest is no counter-example") {
  Sources sources = two_encodings();
  sources.add("lengths", {lengths_of_model("s", {{16, "swaps", 500, 1},
                                                 {32, "swaps", 500, 1},
                                                 {64, "swaps", 500, 0.996},
                                                 {256, "swaps", 500, 0.97}}),
                          lengths_of_model("n", even_model(0.5, 1, 0.5))});
  sources.add("models",
              {metrics_of_model("s", "sinusoidal", "mean"), metrics_of_model("n", "none", "mean")});
  const std::string text = tell_regularity(sources);
  CHECK(position_told(text,
                      "With such positions: `s` up to 64.\n  - Left out, because not above chance "
                      "within the trained lengths: `n`.\n"));
  CHECK_FALSE(position_told(text, "not enough"));
  CHECK_FALSE(position_told(text, "not needed"));
}

TEST_CASE("a training that is tested in two ways is one example of its positions") {
  Sources sources = two_encodings();
  sources.add("lengths", {lengths_of_model("s", model_with_losses(0.9, 1, 1)),
                          lengths_of_model("again", model_with_losses(0.9, 0.5, 1))});
  sources.add("models", {metrics_of_model("s", "sinusoidal", "mean"),
                         metrics_of_model("again", "sinusoidal", "mean")});
  CHECK_FALSE(position_told(tell_regularity(sources), "again"));
}

}  // namespace
}  // namespace headway
