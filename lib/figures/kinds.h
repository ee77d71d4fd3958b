// The kinds of figures: one line each in kinds.cc. To add one, write its function and add its line.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/figures/figure.h"

namespace headway {

struct FigureKind {
  std::string name;
  std::string help;  // what it shows
  // One of the two: what it is drawn from.
  std::function<Figure(const std::vector<NamedTable>&, const FigureOptions&)> from_tables;
  std::function<Figure(const std::vector<NamedTensors>&, const FigureOptions&)> from_tensors;
  std::string arrays;  // of from_tensors: what the files hold, for messages
  // The members of FigureOptions that it reads beside title, size and tokens, which all may read.
  std::vector<std::string> options;

  bool takes(std::string_view option) const;
};

const std::vector<FigureKind>& figure_kinds();
const FigureKind* find_figure_kind(std::string_view name);  // null where there is none
// The names of the kinds that take the option.
std::vector<std::string> kinds_taking(std::string_view option);

// A file as it was read: what it is called in the figure (the item of a fan-in), its name in
// messages, and its bytes.
struct FigureSource {
  std::string name;
  std::string file;
  std::string bytes;
};

// Reads the sources as what the kind is drawn from. Throws Error that says which figure and file.
Figure make_figure(const FigureKind& kind, const std::vector<FigureSource>& sources,
                   const FigureOptions& options);

}  // namespace headway
