// Small inputs for every kind of figure, and what tests of figures repeat.
#pragma once

#include <string>
#include <vector>

#include "lib/figures/gnuplot.h"
#include "lib/figures/kinds.h"
#include "lib/numerics/safetensors.h"
#include "stages/registry.h"

namespace headway::testing {

// A good input of that kind.
std::vector<FigureSource> example_of(const std::string& kind);
FigureOptions example_options(const std::string& kind);  // what that input needs
Figure example_figure(const std::string& kind);

bool is_of_sweep(const std::string& kind);  // drawn from the table of a sweep's trials

FigureSource csv(const std::string& name, const std::string& text);
FigureSource tensors(const TensorFile& file);
FigureSource tensors(const std::string& name, const TensorFile& file);
// Two problems, an encoder and a decoder of one layer, two heads a module.
TensorFile attention_maps();
// Vectors of four positions, the first two of them trained, and their products.
TensorFile learned_encoding();
// What a bias makes of attention; no vectors.
TensorFile bias_encoding();

Figure figure_of(const std::string& kind, const std::vector<FigureSource>& sources,
                 const FigureOptions& options = {});
// What Error says; "" where a figure came out.
std::string mistake(const std::string& kind, const std::vector<FigureSource>& sources,
                    const FigureOptions& options = {});

Drawing draw(const Figure& figure);  // in the folder for temporary files

std::string title_of(const Figure& figure);
bool contains(const std::string& text, const std::string& part);

}  // namespace headway::testing
