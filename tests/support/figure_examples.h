// Small inputs for every kind of figure, and helpers for tests of figures.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/figures/gnuplot.h"
#include "lib/figures/kinds.h"
#include "lib/numerics/safetensors.h"
#include "stages/registry.h"

namespace headway::testing {

// A valid input for that kind.
std::vector<FigureSource> example_of(const std::string& kind);
FigureOptions example_options(const std::string& kind);  // the options that input needs
Json example_params(const std::string& kind);            // the same for the stage, with its kind
Figure example_figure(const std::string& kind);

bool is_of_sweep(const std::string& kind);  // drawn from a trial table

FigureSource csv(const std::string& name, const std::string& text);
FigureSource tensors(const TensorFile& file);
FigureSource tensors(const std::string& name, const TensorFile& file);
// Two problems; an encoder and a decoder with one layer, two heads per module.
TensorFile attention_maps();
// Vectors of four positions, of which the first two are trained, and their products.
TensorFile learned_encoding();
// The effect of a bias on attention; no vectors.
TensorFile bias_encoding();

Figure figure_of(const std::string& kind, const std::vector<FigureSource>& sources,
                 const FigureOptions& options = {});
// The text of the Error; "" if there is none.
std::string mistake(const std::string& kind, const std::vector<FigureSource>& sources,
                    const FigureOptions& options = {});

Drawing draw(const Figure& figure);  // in a temporary folder

std::string title_of(const Figure& figure);
bool contains(const std::string& text, const std::string& part);

// PATH, while the object exists.
class PathVariable {
 public:
  explicit PathVariable(const char* value) : before_(std::getenv("PATH")) {
    ::setenv("PATH", value, 1);
  }
  ~PathVariable() { ::setenv("PATH", before_.c_str(), 1); }
  PathVariable(const PathVariable&) = delete;
  PathVariable& operator=(const PathVariable&) = delete;

 private:
  std::string before_;
};

}  // namespace headway::testing
