// What analyze-positions measured of an encoding, read once, and how well each property holds.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "lib/report/sources.h"

namespace headway {

constexpr double kPositionUnknown = std::numeric_limits<double>::quiet_NaN();

// Within the trained positions, and beyond them; NaN where it was not measured.
struct InsideBeyond {
  double inside = kPositionUnknown;
  double beyond = kPositionUnknown;
};

struct PositionMeasures {
  std::string name;       // as it stands in Markdown
  InsideBeyond distance;  // how far P_t . P_s is from depending on t - s alone
  InsideBeyond length;    // of the vectors
  InsideBeyond step;      // between neighbours
  InsideBeyond pairs;     // of a rotation of pairs, fitted inside: the largest error of all shifts
  InsideBeyond any;       // of the best of all rotations: the same
  std::vector<std::string> shifts;

  // From the arrays, where they are given.
  std::string encoding;
  std::size_t trained = 0, positions = 0;
  bool is_constant = false;  // the same for every two positions

  bool has_vectors() const { return std::isfinite(length.inside) || std::isfinite(length.beyond); }
  bool stands_still_beyond() const;  // all positions there have the same vector
  // Beyond the trained positions all properties hold to numerical precision, and say something.
  bool is_regular_beyond() const;
};

// `tables`, and `arrays` of the same names where that role is there.
std::vector<PositionMeasures> read_position_measures(const Sources& sources);

enum class Holding { kExactly, kAbout, kNot, kUnknown };
constexpr double kAboutLimit = 0.05;
Holding holding_of(double relative_error);

}  // namespace headway
