// `position-heatmap` and `encoding-comparison`: how an encoding's arrays are drawn, and malformed
// files.
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "lib/figures/gnuplot.h"
#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

Figure heatmap_of(const TensorFile& file) {
  return figure_of("position-heatmap", {tensors("x", file)});
}

std::string heatmap_mistake(const TensorFile& file) {
  return mistake("position-heatmap", {tensors("x", file)});
}

std::string comparison_mistake(const TensorFile& file) {
  return mistake("encoding-comparison", {tensors("x", file)});
}

Array floats(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return Array::of(std::move(shape), values);
}

TEST_CASE("positions are columns, dimensions rows", "[report]") {
  CHECK(contains(heatmap_of(learned_encoding()).data,
                 "\n0.5\t0.125\t-0.5\t0.5\n-0.25\t0\t0.75\t0\n1\t-1\t0.25\t0.25\n"));
}

TEST_CASE("the colour scale is symmetric around 0", "[report]") {
  TensorFile file = learned_encoding();
  CHECK(contains(heatmap_of(file).script, "set cbrange [-1:1]"));
  file.arrays["positions"] = floats({2, 2}, {0.111F, -0.4215F, 0, 0.2F});
  CHECK(contains(heatmap_of(file).script, "set cbrange [-0.43:0.43]"));
  file.arrays["positions"] = floats({2, 2}, {0, 64, 3, 2});
  CHECK(contains(heatmap_of(file).script, "set cbrange [0:64]"));
  file.arrays["positions"] = floats({2, 2}, {0, 0, 0, 0});
  CHECK(contains(heatmap_of(file).script, "set cbrange [0:1]"));
}

TEST_CASE("a line follows the last trained position, if there are more", "[report]") {
  TensorFile file = learned_encoding();
  CHECK(contains(heatmap_of(file).script, "set arrow from first 2-0.5, graph 0"));
  CHECK(contains(heatmap_of(file).script, "'last trained'"));
  file.metadata["trained"] = "4";
  CHECK(title_of(heatmap_of(file)) ==
        "Position vectors (learned): 4 positions, 3 dimensions, all trained");
  CHECK_FALSE(contains(heatmap_of(file).script, "'last trained'"));
  file.metadata.erase("trained");
  CHECK(title_of(heatmap_of(file)) == "Position vectors (learned): 4 positions, 3 dimensions");
  file.metadata.erase("encoding");
  CHECK(title_of(heatmap_of(file)) == "Position vectors (x): 4 positions, 3 dimensions");
}

TEST_CASE("a value that is not a number is a gap, explained in the legend", "[report]") {
  TensorFile file = learned_encoding();
  file.arrays["positions"] = floats({2, 2}, {NAN, 1, INFINITY, -1});
  const Figure figure = heatmap_of(file);
  CHECK(contains(figure.data, "\nNaN\tNaN\n1\t-1\n"));
  CHECK(contains(figure.script, "title 'no number'"));
  CHECK(contains(draw(figure).svg, "</svg>"));
  CHECK_FALSE(contains(heatmap_of(learned_encoding()).script, "title 'no number'"));
  file.arrays["positions"] = floats({2, 2}, {NAN, NAN, NAN, NAN});
  CHECK(heatmap_mistake(file) ==
        "figure 'position-heatmap': file 'x': array 'positions' [2, 2] has no number: nothing to "
        "draw");
}

TEST_CASE("large cells are rectangles, small ones an image", "[report]") {
  TensorFile file = learned_encoding();
  CHECK(contains(heatmap_of(file).script, " with boxxyerror "));
  file.arrays["positions"] = floats({1, 1000}, std::vector<float>(1000, 0.5F));
  CHECK(draw(heatmap_of(file)).warnings == "");
  file.arrays["positions"] = floats({400, 400}, std::vector<float>(160000, 0.5F));
  const Figure figure = heatmap_of(file);
  CHECK(contains(figure.script, "matrix with image\n"));
  CHECK(draw(figure).warnings == "");
}

TEST_CASE("a heat map of an encoding without vectors names the figure that draws it", "[report]") {
  CHECK(heatmap_mistake(bias_encoding()) ==
        "figure 'position-heatmap': file 'x' has no array 'positions': encoding 'alibi' adds no "
        "vectors to the input; kind 'encoding-comparison' draws what it makes of attention. Arrays "
        "in the file: gram");
  CHECK(mistake("position-heatmap",
                {tensors("a", learned_encoding()), tensors("b", learned_encoding())}) ==
        "figure 'position-heatmap': it is drawn from one file, not 2");
}

TEST_CASE("malformed encoding arrays are reported", "[report]") {
  TensorFile file = learned_encoding();
  file.arrays["positions"] = floats({12}, std::vector<float>(12));
  CHECK(contains(heatmap_mistake(file), "file 'x': "));
  CHECK(contains(heatmap_mistake(file), "positions"));
  file.arrays["positions"] = floats({0, 3}, {});
  CHECK(heatmap_mistake(file) ==
        "figure 'position-heatmap': file 'x': array 'positions' [0, 3] is empty: nothing to draw");

  for (const char* text : {"", "many", "-1", "2.5", "99999999999999999999999"}) {
    file = learned_encoding();
    file.metadata["trained"] = text;
    CHECK(heatmap_mistake(file) ==
          "figure 'position-heatmap': file 'x': metadata 'trained' must be how many positions were "
          "trained, not '" +
              std::string(text) + "'");
  }

  file = learned_encoding();
  file.arrays.erase("gram");
  CHECK(contains(comparison_mistake(file), "file 'x': "));
  CHECK(contains(comparison_mistake(file), "gram"));
  file.arrays["gram"] = floats({2, 3}, std::vector<float>(6));
  CHECK(comparison_mistake(file) ==
        "figure 'encoding-comparison': file 'x': array 'gram' must have as many rows as columns, "
        "not [2, 3]");
  file.arrays["gram"] = floats({2, 2}, std::vector<float>(4));
  CHECK(comparison_mistake(file) ==
        "figure 'encoding-comparison': file 'x': 'positions' has 4 positions, and 'gram' 2");
  CHECK(mistake("encoding-comparison", {}) ==
        "figure 'encoding-comparison': no file: nothing to draw");
}

TEST_CASE("encodings are columns with their own colour scales", "[report]") {
  const Figure figure = figure_of("encoding-comparison", example_of("encoding-comparison"));
  CHECK(contains(figure.script, "'no position vectors'"));
  CHECK(contains(figure.script, "'P_t · P_s'"));
  CHECK(contains(figure.script, "'factor on weights'"));
  CHECK(contains(figure.script, "set cbrange [-1.4:1.4]"));
  CHECK(contains(figure.script, "set cbrange [0:1]"));
  CHECK(contains(figure.script, "set arrow from graph 0, first 2-0.5 to graph 1, first 2-0.5"));
  CHECK(contains(figure.script, "title 'last trained position'"));
}

TEST_CASE("seven encodings of different sizes and with long names fit on a page", "[report]") {
  TensorFile other = bias_encoding();
  other.arrays["gram"] = floats({1, 1}, {1});
  other.metadata = {};
  std::vector<FigureSource> sources;
  for (int i = 0; i < 6; ++i) {
    sources.push_back({std::string(300, static_cast<char>('a' + i)), "maps.safetensors",
                       to_safetensors(i % 2 == 0 ? learned_encoding() : bias_encoding())});
  }
  sources.push_back(tensors("other", other));
  const Figure figure = figure_of("encoding-comparison", sources);
  CHECK(title_of(figure) == "7 positional encodings");
  CHECK(contains(figure.script, "bbb…'"));
  CHECK(draw(figure).warnings == "");
}

}  // namespace
}  // namespace headway::testing
