// A logarithmic axis of lengths, with ticks at measured ones.
#pragma once

#include <set>
#include <string>

namespace headway {

class LengthAxis {
 public:
  // From `shortest` to `longest` with a margin, over this many pixels. `measured` must not be
  // empty; all lengths must be positive.
  LengthAxis(std::set<double> measured, double shortest, double longest, double pixels);

  // gnuplot commands for the x axis.
  std::string commands() const;

  // The position from the left, as a share of the axis.
  double share(double length) const;

 private:
  std::string ticks() const;
  bool collide(double length, double other) const;
  std::set<double> ends() const;
  std::set<double> powers_of_two() const;

  std::set<double> measured_;
  double pixels_;
  double low_ = 0;  // log2
  double high_ = 0;
};

}  // namespace headway
