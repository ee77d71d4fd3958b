#include "lib/extrapolation/findings/model_comparisons.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/extrapolation/findings/length_tables.h"

namespace headway {
namespace {

bool comparison_told(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

Sources two_by_two() {
  Sources sources;
  sources.add("lengths", {lengths_of_model("s-mean", even_model(0.9, 0.5, 0.5)),
                          lengths_of_model("s-multi", even_model(0.9, 1, 0.51)),
                          lengths_of_model("n-multi", even_model(0.9, 1, 0.5))});
  sources.add("models", {metrics_of_model("s-mean", "sinusoidal", "mean"),
                         metrics_of_model("s-multi", "sinusoidal", "multi"),
                         metrics_of_model("n-multi", "none", "multi")});
  return sources;
}

TEST_CASE("the effect of pooling is told for each encoding with several, by what intervals allow") {
  const std::string text = tell_poolings(two_by_two());
  CHECK(comparison_told(text,
                        "With `swaps` negatives the pooling makes a distinguishable "
                        "difference beyond the trained lengths in the only comparison there is:\n"
                        "  - encoding `sinusoidal`, at 256: `s-multi` with 100 %"));
  CHECK(comparison_told(text, "they are distinguishable at every one of 2 lengths"));
  CHECK(comparison_told(text,
                        "With `adjacent` negatives there is nothing to compare beyond the trained "
                        "lengths:\n  - Not compared, because not above chance within the trained "
                        "lengths: `s-mean` and `s-multi`."));
  CHECK_FALSE(comparison_told(text, "encoding `none`"));
}

TEST_CASE("the effect of the encoding is told for each pooling with several") {
  const std::string text = tell_encodings(two_by_two());
  CHECK(comparison_told(text,
                        "pooling `multi`, at 256: `s-multi` with 100 % (99.24 to 100 %) and "
                        "`n-multi` with 100 % (99.24 to 100 %); they are not "
                        "distinguishable"));
  CHECK_FALSE(comparison_told(text, "pooling `mean`"));
}

// Two lengths, at the second of which the models differ.
Sources two_poolings(double first, double second) {
  const auto model = [](double share) {
    return std::vector<LengthRow>{
        {16, "swaps", 500, 0.9}, {32, "swaps", 500, 1}, {64, "swaps", 500, share}};
  };
  Sources sources;
  sources.add("lengths",
              {lengths_of_model("a", model(first)), lengths_of_model("b", model(second))});
  sources.add("models",
              {metrics_of_model("a", "none", "mean"), metrics_of_model("b", "none", "max")});
  return sources;
}

TEST_CASE("a difference is judged as one of all the comparisons of its sentence") {
  CHECK(comparison_told(tell_poolings(two_poolings(1, 0.984)),
                        "they are distinguishable at 1 of 2 lengths beyond the trained ones (64)"));
  // Of a single comparison it would be one.
  CHECK(are_apart(share_of_count(500, 500), share_of_count(495, 500), 1));
  CHECK(comparison_told(tell_poolings(two_poolings(1, 0.99)),
                        "they are not distinguishable at any of 2 lengths"));
}

TEST_CASE("a single model has nothing that it differs in") {
  Sources sources;
  sources.add("lengths", {lengths_of_model("a", even_model(1, 1, 1))});
  sources.add("models", {metrics_of_model("a", "alibi", "max")});
  CHECK(tell_poolings(sources) == "No two of these models differ in their pooling alone.\n");
}

TEST_CASE("clamped positions are told above or below untrained ones only where intervals part") {
  Sources sources;
  sources.add("clamped", {lengths_of_model("", {{16, "swaps", 500, 0.9},
                                                {32, "swaps", 500, 0.8},
                                                {64, "swaps", 500, 0.52},
                                                {128, "swaps", 500, 0.5}})});
  sources.add("untrained", {lengths_of_model("", {{16, "swaps", 500, 0.9},
                                                  {32, "swaps", 500, 0.5},
                                                  {64, "swaps", 500, 0.5},
                                                  {128, "swaps", 500, 0.7}})});
  const std::string text = tell_untrained_positions(sources);
  CHECK(comparison_told(text, "Within the trained lengths the two score the same."));
  CHECK(comparison_told(text,
                        "Clamped positions are above untrained ones at 32, below untrained "
                        "ones at 128 and not distinguishable from them at 64."));
}

}  // namespace
}  // namespace headway
